import { beforeEach, expect, test } from 'bun:test';
import { Refusal } from '../../rules/errors.ts';
import type { LinkForVisitor } from '../../rules/resolve.ts';
import { PasswordGate } from './password.ts';

const link: LinkForVisitor = {
  id: 7,
  organizationId: 1,
  destinationUrl: 'https://example.com/',
  androidUrl: null,
  iosUrl: null,
  ogTitle: null,
  ogDescription: null,
  ogImage: null,
  expiresAt: null,
  passwordHash: 'hash of sesame',
  captcha: false,
  botProtection: false,
  isPlain: true,
};

let counted: number;
let signed: number;
let busy: boolean;
let gate: PasswordGate;

beforeEach(() => {
  counted = 0;
  signed = 0;
  busy = false;
  const sign = (text: string) => `signature-of-${Buffer.from(text).toString('hex')}`;
  gate = new PasswordGate({
    now: () => 1_900_000_000_000,
    secureCookies: false,
    sign,
    verifySignature: (text, signature) => {
      signed += 1;
      return sign(text) === signature;
    },
    verifyPassword: async (password, hash) => {
      if (busy) throw new Refusal('BUSY', 'Too many passwords are being checked right now.');
      return hash === `hash of ${password}`;
    },
    reserveGuess: async () => {
      counted += 1;
      const forgive = async () => {
        counted -= 1;
      };
      return { forgive, turn: { party: '198.51.100.1', isKnown: false } };
    },
  });
});

const guess = (password: string) =>
  gate.tryPassword(link, password, { headers: new Headers(), network: '198.51.100.1', path: '/x' });

test('a wrong guess counts, a right one does not', async () => {
  expect(await guess('barley')).toBeNull();
  expect(counted).toBe(1);
  expect(await guess('sesame')).toStartWith('linnet_pass=');
  expect(counted).toBe(1);
});

test('a guess that nobody had time to look at does not count', async () => {
  busy = true;
  await expect(guess('sesame')).rejects.toThrow('Too many passwords');
  expect(counted).toBe(0);
});

test('the cookie opens the link it was given for, until its password changes', async () => {
  const cookie = (await guess('sesame'))?.split(';')[0] ?? '';
  const headers = new Headers({ cookie });
  expect(gate.hasPass(link, headers)).toBe(true);
  expect(gate.hasPass({ ...link, id: 8 }, headers)).toBe(false);
  expect(gate.hasPass({ ...link, passwordHash: 'hash of another' }, headers)).toBe(false);
});

test('a request full of made-up cookies costs a few signatures, no more', () => {
  const headers = new Headers({ cookie: 'linnet_pass=9999999999999.x; '.repeat(500) });
  expect(gate.hasPass(link, headers)).toBe(false);
  expect(signed).toBeLessThan(10);
});
