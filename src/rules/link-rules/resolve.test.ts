import { describe, expect, test } from 'bun:test';
import { visitedLink } from '../../../test/support/test-link.ts';
import { testVisitor } from '../../../test/support/test-visitor.ts';
import { type LinkOptions, resolve } from './resolve.ts';
import type { AgentKind, Device, Visitor } from './visitor.ts';

const noon = Date.UTC(2030, 0, 1, 12);

const destinationUrl = 'https://example.com/default';
const android = { androidUrl: 'https://example.com/android' };
const ios = { iosUrl: 'https://example.com/ios' };
const secret = { passwordHash: 'hash' };
const captcha = { captcha: true };
const guarded = { botProtection: true };
const card = { ogTitle: 'A title' };
const expired = { expiresAt: noon };
const disabled = { disabled: true };
const early = { startsAt: noon + 1 };
const fallbackUrls = { beforeStartUrl: 'https://example.com/soon', expiredUrl: 'https://example.com/over' };

interface VisitorTraits {
  readonly agent?: AgentKind;
  readonly device?: Device;
  readonly knowsPassword?: boolean;
  readonly solvedCaptcha?: boolean;
}

const visitor = ({
  agent = 'person',
  device = 'other',
  knowsPassword = false,
  solvedCaptcha = false,
}: VisitorTraits): Visitor =>
  testVisitor({
    agent: () => agent,
    device: () => device,
    passedPassword: () => knowsPassword,
    passedCaptcha: () => solvedCaptcha,
  });

/** The kind of the outcome; for a redirect also its target and its URL. */
function outcome(options: Partial<LinkOptions>, traits: VisitorTraits, now = noon): string {
  const found = resolve(visitedLink(destinationUrl, options), visitor(traits), now);
  return found.kind === 'redirect' ? `to ${found.target} ${found.to}` : found.kind;
}

const toDefault = 'to default https://example.com/default';
const toAndroid = 'to android https://example.com/android';
const toIos = 'to ios https://example.com/ios';
const all = { ...expired, ...guarded, ...card, ...secret, ...captcha, ...android, ...ios };
const allButExpired = { ...all, expiresAt: null };

describe('the outcome of a hit', () => {
  test.each<[string, Partial<LinkOptions>, VisitorTraits, string]>([
    ['a plain link', {}, {}, toDefault],
    ['a plain link for a bot', {}, { agent: 'bot' }, toDefault],
    ['a plain link for a preview crawler', {}, { agent: 'preview' }, toDefault],

    ['an expired link', expired, {}, 'expired'],
    [
      'an expired link with everything, for a person',
      all,
      { knowsPassword: true, solvedCaptcha: true },
      'expired',
    ],
    ['an expired link with everything, for a bot', all, { agent: 'bot' }, 'expired'],
    ['an expired link with everything, for a crawler', all, { agent: 'preview' }, 'expired'],

    ['a link before its start', early, {}, 'not_started'],
    ['a link before its start with everything', { ...all, ...early }, { agent: 'preview' }, 'not_started'],
    ['a link at its start', { startsAt: noon }, {}, toDefault],
    ['a disabled link before its start', { ...early, ...disabled }, {}, 'expired'],

    ['a disabled link', disabled, {}, 'expired'],
    [
      'a disabled link with everything, for a person',
      { ...allButExpired, ...disabled },
      { knowsPassword: true },
      'expired',
    ],
    [
      'a disabled link with everything, for a crawler',
      { ...allButExpired, ...disabled },
      { agent: 'preview' },
      'expired',
    ],

    ['a guarded link for a person', guarded, {}, toDefault],
    ['a guarded link for a bot', guarded, { agent: 'bot' }, 'refused'],
    ['a guarded link for a crawler', guarded, { agent: 'preview' }, 'preview'],
    [
      'a guarded link for a bot that passed all gates',
      allButExpired,
      { agent: 'bot', knowsPassword: true, solvedCaptcha: true },
      'refused',
    ],
    [
      'a guarded link for a crawler that passed all gates',
      allButExpired,
      { agent: 'preview', knowsPassword: true, solvedCaptcha: true },
      'preview',
    ],

    ['a card for a person', card, {}, toDefault],
    ['a card for a bot', card, { agent: 'bot' }, toDefault],
    ['a title for a crawler', card, { agent: 'preview' }, 'preview'],
    ['a description for a crawler', { ogDescription: 'Text' }, { agent: 'preview' }, 'preview'],
    ['a picture for a crawler', { ogImage: 'https://example.com/i.png' }, { agent: 'preview' }, 'preview'],
    ['a card behind a password for a crawler', { ...card, ...secret }, { agent: 'preview' }, 'preview'],

    ['a password for a bot', secret, { agent: 'bot' }, 'ask_password'],
    ['a password for a crawler', secret, { agent: 'preview' }, 'ask_password'],
    ['a password', secret, {}, 'ask_password'],
    ['a password that is known', secret, { knowsPassword: true }, toDefault],
    ['a password that a solved captcha does not replace', secret, { solvedCaptcha: true }, 'ask_password'],

    ['a captcha', captcha, {}, 'ask_captcha'],
    ['a captcha for a crawler', captcha, { agent: 'preview' }, 'ask_captcha'],
    ['a solved captcha', captcha, { solvedCaptcha: true }, toDefault],
    ['a captcha that a known password does not replace', captcha, { knowsPassword: true }, 'ask_captcha'],
    ['both gates', { ...secret, ...captcha }, {}, 'ask_password'],
    ['both gates, the second solved', { ...secret, ...captcha }, { solvedCaptcha: true }, 'ask_password'],
    ['both gates, the first passed', { ...secret, ...captcha }, { knowsPassword: true }, 'ask_captcha'],
    ['both gates passed', { ...secret, ...captcha }, { knowsPassword: true, solvedCaptcha: true }, toDefault],

    ['an Android visitor', { ...android, ...ios }, { device: 'android' }, toAndroid],
    ['an iOS visitor', { ...android, ...ios }, { device: 'ios' }, toIos],
    ['any other visitor', { ...android, ...ios }, {}, toDefault],
    ['an Android visitor of a link with only that destination', android, { device: 'android' }, toAndroid],
    ['an iOS visitor of a link with only that destination', ios, { device: 'ios' }, toIos],
    ['an Android visitor of a link with an iOS destination', ios, { device: 'android' }, toDefault],
    ['an iOS visitor of a link with an Android destination', android, { device: 'ios' }, toDefault],
    [
      'an Android visitor before the password',
      { ...android, ...secret },
      { device: 'android' },
      'ask_password',
    ],
    [
      'an Android visitor past every gate',
      allButExpired,
      { device: 'android', knowsPassword: true, solvedCaptcha: true },
      toAndroid,
    ],
  ])('%s', (_, link, traits, expected) => {
    expect(outcome(link, traits)).toBe(expected);
  });

  test('a link works until the millisecond before its expiry, and has ended from that instant on', () => {
    expect(outcome(expired, {}, noon - 1)).toBe(toDefault);
    expect(outcome(expired, {}, noon)).toBe('expired');
    expect(outcome(expired, {}, noon + 1)).toBe('expired');
    expect(outcome({ expiresAt: 0 }, {})).toBe('expired');
  });
});

/** Every combination of the switches of a link and the traits of a visitor. */
function* everyCombination(): Generator<[Partial<LinkOptions>, Required<VisitorTraits>]> {
  const switches = [expired, guarded, card, secret, captcha, android, ios];
  const agents: AgentKind[] = ['person', 'bot', 'preview'];
  const devices: Device[] = ['android', 'ios', 'other'];
  for (let bits = 0; bits < 2 ** switches.length; bits++) {
    const link = Object.assign({}, ...switches.filter((_, index) => bits & (1 << index)));
    for (const agent of agents)
      for (const device of devices)
        for (const knowsPassword of [true, false])
          for (const solvedCaptcha of [true, false])
            yield [link, { agent, device, knowsPassword, solvedCaptcha }];
  }
}

describe('for every link and every visitor', () => {
  const combinations = [...everyCombination()];

  test('a destination is only given to visitors who passed every gate of an active link', () => {
    const redirected = combinations.filter(([link, traits]) => outcome(link, traits).startsWith('to '));
    expect(redirected.length).toBeGreaterThan(500);
    for (const [link, { agent, knowsPassword, solvedCaptcha }] of redirected) {
      expect(link.expiresAt).toBeUndefined();
      expect(link.botProtection && agent !== 'person').toBeFalsy();
      expect(link.ogTitle !== undefined && agent === 'preview').toBe(false);
      expect(link.passwordHash !== undefined && !knowsPassword).toBe(false);
      expect(link.captcha && !solvedCaptcha).toBeFalsy();
    }
  });

  test('an outcome other than a redirect contains nothing of the link', () => {
    for (const [link, traits] of combinations) {
      const found = resolve(visitedLink(destinationUrl, link), visitor(traits), noon);
      const { kind, ...rest } = found;
      if (kind !== 'redirect') expect(rest).toEqual(kind === 'expired' ? { to: null } : {});
    }
  });

  test('redirects before the start and after the end: each only at its time, and never if disabled', () => {
    const found = (options: Partial<LinkOptions>) =>
      resolve(visitedLink(destinationUrl, { ...fallbackUrls, ...options }), visitor({}), noon);
    expect(found({ ...early, ...secret })).toEqual({
      kind: 'not_started',
      startsAt: noon + 1,
      to: fallbackUrls.beforeStartUrl,
    });
    expect(found({ ...expired, ...secret })).toEqual({ kind: 'expired', to: fallbackUrls.expiredUrl });
    expect(found({ clickLimit: 'spent', ...secret })).toEqual({
      kind: 'expired',
      to: fallbackUrls.expiredUrl,
    });
    expect(found({ clickLimit: 'open', ...secret }).kind).toBe('ask_password');
    expect(found({ ...expired, ...disabled })).toEqual({ kind: 'expired', to: null });
    expect(found(secret).kind).toBe('ask_password');
  });

  test('a plain link uses nothing of its visitor', () => {
    const unreachable = () => expect.unreachable();
    const unreadableVisitor = Object.fromEntries(
      Object.keys(testVisitor()).map((name) => [name, unreachable]),
    ) as unknown as Visitor;
    expect(resolve(visitedLink(destinationUrl), unreadableVisitor, noon).kind).toBe('redirect');
    expect(resolve(visitedLink(destinationUrl, {}), unreadableVisitor, noon).kind).toBe('redirect');
  });
});
