import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { hourLength } from '../rules/durations.ts';
import { signatureHeaders } from './sign.ts';

const message = { id: 'evt_1', body: '{"event":"click","payload":{"suffix":"grüße 🐦"}}' };

test.each([
  ['24 bytes', randomBytes(24).toString('base64')],
  ['25 bytes, padded', randomBytes(25).toString('base64')],
  ['64 bytes', randomBytes(64).toString('base64')],
])('a whsec_ key of %s signs what Standard Webhooks verifies', (_name, encoded) => {
  const headers = signatureHeaders(message, `whsec_${encoded}`, Date.now());
  expect(new Webhook(`whsec_${encoded}`).verify(message.body, headers)).toEqual(JSON.parse(message.body));
});

test.each([
  'a plain secret',
  'geheim-für-Ümläute',
  'YWJj',
  'whsec_',
  'whsec_not base64!',
  'whsec_a',
  'whsec_ab-_',
])('the key %j signs with its bytes', (key) => {
  const headers = signatureHeaders(message, key, Date.now());
  const verifier = new Webhook(new TextEncoder().encode(key), { format: 'raw' });
  expect(verifier.verify(message.body, headers)).toEqual(JSON.parse(message.body));
});

test('missing padding changes nothing', () => {
  const encoded = randomBytes(25).toString('base64');
  const bare = signatureHeaders(message, `whsec_${encoded.replace(/=+$/, '')}`, Date.now());
  expect(bare).toEqual(signatureHeaders(message, `whsec_${encoded}`, Date.now()));
});

test('another body, id, instant or key is not verified', () => {
  const key = `whsec_${randomBytes(24).toString('base64')}`;
  const headers = signatureHeaders(message, key, Date.now());
  const verifier = new Webhook(key);
  expect(() => verifier.verify(`${message.body} `, headers)).toThrow('No matching signature');
  expect(() => verifier.verify(message.body, { ...headers, 'webhook-id': 'evt_2' })).toThrow('No matching');
  const later = String(Number(headers['webhook-timestamp']) + 1);
  expect(() => verifier.verify(message.body, { ...headers, 'webhook-timestamp': later })).toThrow(
    'No matching',
  );
  expect(() => new Webhook(randomBytes(24).toString('base64')).verify(message.body, headers)).toThrow(
    'No matching',
  );
  const old = signatureHeaders(message, key, Date.now() - hourLength);
  expect(() => verifier.verify(message.body, old)).toThrow('too old');
});

test.each([null, ''])('without a key (%j) nothing is signed', (key) => {
  expect(signatureHeaders(message, key, 1_700_000_000_999)).toEqual({
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1700000000',
  });
});
