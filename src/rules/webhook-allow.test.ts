import { describe, expect, test } from 'bun:test';
import { readAddress } from './address-rules.ts';
import { type AllowList, allowListOf, parseAllowList, permits } from './webhook-allow.ts';

const list = (text: string): AllowList => parseAllowList(text) ?? [];
const addressOf = (text: string) => readAddress(text);

describe('WEBHOOK_ALLOW', () => {
  test('is not a list if it is not set', () => {
    expect(parseAllowList('')).toBeNull();
    expect(parseAllowList('  ')).toBeNull();
  });

  test.each(['none', 'NONE', ' none '])('%j permits nothing', (text) => {
    expect(parseAllowList(text)).toEqual([]);
  });

  test.each([
    'n8n',
    'n8n.internal',
    'N8N.Internal.:5678',
    'bücher.example',
    'my_host:80',
    '10.0.0.5',
    '10.0.0.5:8080',
    '127.1:80',
    '10.0.0.0/8',
    '0.0.0.0/0',
    '10.0.0.5/32',
    '::1',
    '[::1]',
    '[::1]:8080',
    'fd00::/8',
    '::/0',
    'a.example, b.example:81 ,10.0.0.0/8',
  ])('%j is parsed', (text) => {
    expect(list(text).length).toBe(text.split(',').length);
  });

  test.each([
    ',',
    'a,,b',
    'a,',
    'none,a',
    'a,none',
    'http://n8n.internal',
    'n8n.internal/',
    'n8n.internal/hook',
    'user@n8n.internal',
    'n8n.internal:0',
    'n8n.internal:65536',
    'n8n.internal:',
    'n8n.internal:x',
    'n8n.internal:80:81',
    '*.internal',
    'a b',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/x',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/8:80',
    '10.0.0/8',
    '256.1.1.1',
    'fd00::/129',
    '[fd00::/8]',
    '[::1',
    '::1%eth0',
    '[fe80::1%25eth0]',
    '::ffff:10.0.0.1',
    '::ffff:10.0.0.0/104',
    '[::ffff:10.0.0.1]:80',
  ])('%j is refused with a message', (text) => {
    expect(() => parseAllowList(text)).toThrow(/^give hosts, host:port or networks, such as .*[^.]$/);
  });
});

describe('a permission', () => {
  test.each([
    ['n8n.internal', 'N8N.internal.', 5678, '10.0.0.5', true],
    ['n8n.internal', 'n8n.internal', 80, null, true],
    ['n8n.internal:80', 'n8n.internal', 81, '10.0.0.5', false],
    ['n8n.internal', 'm.n8n.internal', 80, '10.0.0.5', false],
    ['10.0.0.0/8', 'any.example', 80, '10.200.0.1', true],
    ['10.0.0.0/8', 'any.example', 80, '11.0.0.1', false],
    ['10.0.0.0/8', 'any.example', 80, '::ffff:10.0.0.1', true],
    ['10.0.0.0/8', 'any.example', 80, 'fd00::1', false],
    ['::/0', 'any.example', 80, '10.0.0.1', false],
    ['10.0.0.0/8', 'any.example', 5678, null, true],
    ['10.0.0.5:80', 'any.example', 80, '10.0.0.5', true],
    ['10.0.0.5:80', 'any.example', 81, '10.0.0.5', false],
    ['10.0.0.5:80', 'any.example', 81, null, false],
    ['127.1:80', '127.0.0.1', 80, '127.0.0.1', true],
    ['none', 'localhost', 80, '127.0.0.1', false],
  ] as const)('%s for %s, port %d, at %s: %p', (setting, host, port, address, expected) => {
    expect(permits(list(setting), host, port, address && addressOf(address))).toBe(expected);
  });
});

describe('without a setting', () => {
  const trial = allowListOf(null, true);

  test.each([
    ['localhost', null],
    ['localhost', '127.0.0.1'],
    ['localhost', '::1'],
    ['app.localhost', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.9.9.9', '127.9.9.9'],
    ['[::1]', '::1'],
  ])('webhooks in a trial may call %s (%s), any port', (host, address) => {
    expect(permits(trial, host, 4000, address === null ? null : addressOf(address))).toBe(true);
  });

  test.each([
    ['localhost', '10.0.0.1'],
    ['rebound.example.com', '127.0.0.1'],
    ['rebound.example.com', null],
    ['printer.local', null],
    ['10.0.0.1', '10.0.0.1'],
    ['0.0.0.0', '0.0.0.0'],
  ])('webhooks in a trial may not call %s (%s)', (host, address) => {
    expect(permits(trial, host, 80, address === null ? null : addressOf(address))).toBe(false);
  });

  test('nothing internal is permitted outside a trial', () => {
    expect(allowListOf(null, false)).toEqual([]);
  });

  test('a setting replaces what a trial permits', () => {
    expect(permits(allowListOf(list('10.0.0.0/8'), true), 'localhost', 80, addressOf('127.0.0.1'))).toBe(
      false,
    );
    expect(allowListOf(list('none'), true)).toEqual([]);
  });
});
