import { describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '../rules/errors.ts';
import { isWellFormed, makeApiKey } from './api-keys.ts';
import { createMasterKey, findMasterKey } from './master-key.ts';
import { knownPriority, Passwords } from './passwords.ts';
import { Secrets } from './secrets.ts';

test('a typo in an API key is found without a query', () => {
  const key = makeApiKey(randomBytes);
  expect(isWellFormed(key)).toBe(true);
  for (let index = 4; index < key.length; index++) {
    const typo = key.slice(0, index) + (key[index] === 'x' ? 'y' : 'x') + key.slice(index + 1);
    expect(isWellFormed(typo)).toBe(false);
  }
});

describe('the master key', () => {
  const inTemporaryFolder = async (work: (folder: string) => Promise<void>) => {
    const folder = await mkdtemp(join(tmpdir(), 'linnet-test-'));
    await work(folder).finally(() => rm(folder, { recursive: true }));
  };

  test('is created once and readable only by its owner, even if many processes start at once', () =>
    inTemporaryFolder(async (folder) => {
      const keys = await Promise.all(Array.from({ length: 8 }, () => createMasterKey(folder)));
      expect(new Set(keys).size).toBe(1);
      expect(await readdir(folder)).toEqual(['secret.key']);
      expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600);
      expect((await readFile(join(folder, 'secret.key'), 'utf8')).trim()).toBe(keys[0] ?? '');
    }));

  test('is never read from an empty or truncated file', () =>
    inTemporaryFolder(async (folder) => {
      for (const content of ['', '\n', 'abc123']) {
        await writeFile(join(folder, 'secret.key'), content);
        const cause = await findMasterKey(null, folder).then(
          () => null,
          (cause) => cause,
        );
        expect(String(cause)).toContain('is empty or cut off');
      }
    }));
});

describe('secrets', () => {
  const secrets = new Secrets('a master key for the tests, long enough');
  const otherSecrets = new Secrets('another master key for the tests, as long');

  test('are signed for one purpose and one key', () => {
    const signature = secrets.sign('qr', 'text', 16);
    expect(secrets.verify('qr', 'text', signature)).toBe(true);
    expect(secrets.verify('zapier', 'text', signature)).toBe(false);
    expect(secrets.verify('qr', 'other', signature)).toBe(false);
    expect(otherSecrets.verify('qr', 'text', signature)).toBe(false);
    expect(secrets.verify('qr', 'text', signature.slice(0, 4))).toBe(false);
    expect(secrets.verify('qr', 'text', '')).toBe(false);
  });

  test('sealed with a key can only be opened with that key', () => {
    const sealed = secrets.seal('hook key');
    expect(sealed).not.toBe(secrets.seal('hook key'));
    expect(secrets.open(sealed)).toBe('hook key');
    expect(otherSecrets.open(sealed)).toBeNull();
    expect(secrets.open('')).toBeNull();
    expect(secrets.open('AAAA')).toBeNull();
  });
});

test('a password matches however its accents are typed, also if it was hashed as it was typed', async () => {
  const passwords = new Passwords({ memoryCost: 8, timeCost: 1 });
  const priority = knownPriority('user 1');
  const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
  const earlier = await Bun.password.hash(decomposed, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 });
  for (const hash of [await passwords.hash(composed, priority), await passwords.hash(decomposed, priority)]) {
    expect(await passwords.verify(composed, hash, priority)).toBe(true);
    expect(await passwords.verify(decomposed, hash, priority)).toBe(true);
    expect(await passwords.verify('cafe', hash, priority)).toBe(false);
  }
  expect(await passwords.verify(decomposed, earlier, priority)).toBe(true);
  // Composing it would take minutes.
  expect(await passwords.verify('\u0315\u0300'.repeat(500_000), earlier, priority)).toBe(false);
});

test('passwords are checked a few at a time, and further requests get 503', async () => {
  const priority = knownPriority('user 1');
  expect(await new Passwords().hash('x', priority)).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
  const passwords = new Passwords({ memoryCost: 64, timeCost: 1 });
  const outcomes = await Promise.allSettled(Array.from({ length: 90 }, () => passwords.hash('x', priority)));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(90 - 2 - 64);
  expect(refused[0]?.reason).toBeInstanceOf(Refusal);
  expect(await passwords.verify('x', await passwords.hash('x', priority), priority)).toBe(true);
  expect(await passwords.verifyDecoy('x', priority)).toBe(false);
});
