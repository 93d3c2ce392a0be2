import { beforeEach, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { visitedLink } from '../../../test/support/test-link.ts';
import { Refusal } from '../../rules/errors.ts';
import { PasswordGate } from './password.ts';

const link = { ...visitedLink('https://example.com/', { passwordHash: 'hash of sesame' }), id: 7 };

let countedGuesses: number;
let signatureChecks: number;
let isBusy: boolean;
let gate: PasswordGate;

beforeEach(() => {
  countedGuesses = 0;
  signatureChecks = 0;
  isBusy = false;
  const sign = (text: string) => createHash('sha256').update(text).digest('base64url');
  gate = new PasswordGate({
    now: () => 1_900_000_000_000,
    secureCookies: false,
    sign,
    verifySignature: (text, signature) => {
      signatureChecks += 1;
      return sign(text) === signature;
    },
    verifyPassword: async (password, hash) => {
      if (isBusy) throw new Refusal('BUSY', 'Too many passwords are being checked right now.');
      return hash === `hash of ${password}`;
    },
    reserveGuess: async () => {
      countedGuesses += 1;
      const withdraw = async () => {
        countedGuesses -= 1;
      };
      return { withdraw, priority: { clientKey: '198.51.100.1', isKnown: false } };
    },
  });
});

const guess = (password: string) =>
  gate.tryPassword(link, password, { headers: new Headers(), network: '198.51.100.1', path: '/x' });

test('a wrong guess counts, a correct one does not', async () => {
  expect(await guess('barley')).toBeNull();
  expect(countedGuesses).toBe(1);
  expect((await guess('sesame'))?.cookie).toStartWith('linnet_pass=');
  expect(countedGuesses).toBe(1);
});

test('a guess that timed out before the check does not count', async () => {
  isBusy = true;
  await expect(guess('sesame')).rejects.toThrow('Too many passwords');
  expect(countedGuesses).toBe(0);
});

test('the cookie opens its link until the password changes', async () => {
  const cookie = (await guess('sesame'))?.cookie.split(';')[0] ?? '';
  const headers = new Headers({ cookie });
  expect(gate.hasPass(link, headers)).toBe(true);
  expect(gate.hasPass({ ...link, id: 8 }, headers)).toBe(false);
  const changed = visitedLink('https://example.com/', { passwordHash: 'hash of another' });
  expect(gate.hasPass({ ...changed, id: 7 }, headers)).toBe(false);
});

test('a pass opens its link only as it was set: each other form of it would count as another browser', async () => {
  const { pass = '' } = (await guess('sesame')) ?? {};
  const opens = (value: string) => gate.hasPass(link, new Headers({ cookie: `linnet_pass=${value}` }));
  expect(opens(pass)).toBe(true);
  for (const other of [
    `${pass}.x`,
    `0${pass}`,
    `+${pass}`,
    pass.slice(0, -1),
    `${pass}=`,
    pass.replace('.', '.0.'),
  ])
    expect([other, opens(other)]).toEqual([other, false]);
});

test('a request full of forged cookies costs only a few signature checks', () => {
  const headers = new Headers({ cookie: 'linnet_pass=9999999999999.x; '.repeat(500) });
  expect(gate.hasPass(link, headers)).toBe(false);
  expect(signatureChecks).toBeLessThan(10);
});
