import { expect, test } from 'bun:test';
import { isMarkProof, markOf, markProof, newRequest, openSalt, sealSalt } from './salt-seal.ts';

const key = 'the key of the instance';
const salt = crypto.getRandomValues(new Uint8Array(32));
const day = 20_000;

test('a sealed salt can only be opened by the node that requested it, for that request', () => {
  const request = newRequest(key, day);
  const sealed = sealSalt(key, request, salt) ?? '';
  expect([...(openSalt(key, request, sealed) ?? [])]).toEqual([...salt]);
  // With everything that is stored, the instance's key and both public keys: only the private keys are missing.
  expect(openSalt(key, newRequest(key, day), sealed)).toBeNull();
  expect(openSalt(key, { ...request, day: day + 1 }, sealed)).toBeNull();
  expect(Buffer.from(sealed, 'base64url').includes(Buffer.from(salt))).toBe(false);
  expect(sealSalt(key, request, salt)).not.toBe(sealed);
});

test('write access to the database is not enough to get or to provide a salt', () => {
  const forged = newRequest('another key', day);
  expect(sealSalt(key, forged, salt)).toBeNull();
  const request = newRequest(key, day);
  expect(sealSalt(key, { ...request, day: day + 1 }, salt)).toBeNull();
  expect(sealSalt(key, { ...request, publicKey: forged.publicKey }, salt)).toBeNull();
  // A response to our request by an attacker who doesn't have the instance's key, sealed with another one.
  const forgedRequest = { ...request, proof: newRequestProof('another key', request.publicKey) };
  const injected = sealSalt('another key', forgedRequest, salt) ?? '';
  expect(injected).not.toBe('');
  expect(openSalt(key, request, injected)).toBeNull();
  for (const nonsense of ['', 'x', 'A'.repeat(123), injected.slice(1)])
    expect(openSalt(key, request, nonsense)).toBeNull();
});

/** A proof for the same public key, made with another key. */
function newRequestProof(instanceKey: string, publicKey: string): string {
  const hasher = new Bun.CryptoHasher('sha256', instanceKey);
  return hasher.update(`request ${day} ${publicKey}`).digest('base64url');
}

test('a mark differs by salt and day, and is only valid with its proof', () => {
  const mark = markOf(day, salt);
  expect(mark).toBe(markOf(day, salt));
  expect(mark).not.toBe(markOf(day + 1, salt));
  expect(mark).not.toBe(markOf(day, new Uint8Array(32)));
  const proof = markProof(key, day, mark);
  expect(isMarkProof(key, day, mark, proof)).toBe(true);
  expect(isMarkProof(key, day + 1, mark, proof)).toBe(false);
  expect(isMarkProof(key, day, markOf(day, new Uint8Array(32)), proof)).toBe(false);
  expect(isMarkProof('another key', day, mark, proof)).toBe(false);
  expect(isMarkProof(key, day, '', '')).toBe(false);
});
