import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type AgentRow, machines, people, previews } from '../../test/support/agent-lists.ts';
import { android, iphone, windows } from '../../test/support/agents-of-people.ts';
import { processorTime } from '../../test/support/scaled-to-load.ts';
import { appBrowser } from './agents/app-browsers.ts';
import type { HeaderEvidence } from './agents/header-evidence.ts';
import { agentKind } from './agents/visitor-kind.ts';
import { classify } from './click-class.ts';
import type { ClassReason, ClickClass } from './click-fields.ts';
import type { AgentKind } from './link-rules/visitor.ts';

const classOf = (userAgent: string) =>
  classify({ method: 'GET', userAgent, purpose: '', headerEvidence: 'none' });

describe('the class of a hit by its user agent', () => {
  const tables: readonly (readonly [ClickClass, readonly AgentRow[]])[] = [
    ['human', people],
    ['preview', previews],
    ['bot', machines],
  ];
  for (const [expected, rows] of tables) {
    for (const [client, userAgent, reason] of rows) {
      test(`${expected}: ${client}`, () => {
        expect(classOf(userAgent)).toEqual({ class: expected, reason });
        expect(agentKind({ userAgent, headerEvidence: 'none' })).toBe(
          expected === 'human' ? 'person' : (expected as AgentKind),
        );
      });
    }
  }
});

describe("a request that isn't a visit is never a click, whatever client sends it", () => {
  const browser = `${windows} Chrome/131.0.0.0 Safari/537.36`;
  const rows: readonly (readonly [string, string, string, ClickClass, ClassReason])[] = [
    ['a HEAD probe', 'HEAD', '', 'head', 'head_method'],
    ['an OPTIONS request', 'OPTIONS', '', 'bot', 'unusual_method'],
    ['Sec-Purpose of a prefetch', 'GET', 'prefetch', 'prefetch', 'purpose_header'],
    ['Sec-Purpose of a prerender', 'GET', 'prefetch;prerender', 'prefetch', 'purpose_header'],
    ['Sec-Purpose through a proxy', 'GET', 'prefetch;anonymous-client-ip', 'prefetch', 'purpose_header'],
    ["X-Purpose of Safari's top sites", 'GET', 'preview', 'prefetch', 'purpose_header'],
    ['X-Moz in capitals', 'GET', 'Prefetch', 'prefetch', 'purpose_header'],
    ['an unknown purpose', 'GET', 'navigate', 'human', 'browser'],
    ['the form of a password', 'POST', '', 'human', 'browser'],
  ];
  for (const [name, method, purpose, expected, reason] of rows) {
    test(name, () => {
      expect(classify({ method, userAgent: browser, purpose, headerEvidence: 'none' })).toEqual({
        class: expected,
        reason,
      });
    });
  }

  test('a HEAD request of a crawler counts as a HEAD request', () => {
    expect(
      classify({ method: 'HEAD', userAgent: 'curl/8.5.0', purpose: '', headerEvidence: 'none' }).class,
    ).toBe('head');
  });
});

describe('headers are evidence about clients that call themselves browsers', () => {
  const chrome = `${windows} Chrome/131.0.0.0 Safari/537.36`;
  const phoneChrome =
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/89.0.4389.72 Mobile Safari/537.36';
  const classWith = (
    headerEvidence: HeaderEvidence,
    userAgent: string,
    changes: { method?: string; purpose?: string } = {},
  ) => classify({ method: 'GET', purpose: '', ...changes, userAgent, headerEvidence });

  test('a request that opens no page is no click, whatever browser sends it', () => {
    for (const userAgent of [
      chrome,
      phoneChrome,
      android,
      `${iphone} Version/17.5 Mobile/15E148 Safari/604.1`,
    ])
      expect(classWith('not_navigation', userAgent)).toEqual({ class: 'bot', reason: 'not_navigation' });
  });

  test('a Chrome or Edge that sends none of its headers over https is a script', () => {
    for (const userAgent of [
      chrome,
      phoneChrome,
      `${windows} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.86`,
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0.4430.212 Safari/537.36',
    ])
      expect(classWith('no_browser_headers', userAgent)).toEqual({
        class: 'bot',
        reason: 'no_browser_headers',
      });
  });

  test('other browsers without these headers still count as people', () => {
    for (const userAgent of [
      `${windows} Chrome/88.0.4324.190 Safari/537.36`,
      `${windows} Chrome/131.0.0.0 Safari/537.36 OPR/117.0.0.0`,
      android,
      `${android} [FB_IAB/FB4A;FBAV/263.0.0.46.121;]`,
      `${iphone} Version/16.3 Mobile/15E148 Safari/604.1`,
      `${iphone} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`,
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
      'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.128 Safari/537.36',
      'Mozilla/5.0 (Linux; Android 13; SM-A515F; wv) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
    ])
      expect([userAgent, classWith('no_browser_headers', userAgent).class]).toEqual([userAgent, 'human']);
  });

  test('the user agent, the method and the purpose take precedence', () => {
    expect(classWith('not_navigation', 'curl/8.5.0').reason).toBe('http_library');
    expect(classWith('not_navigation', 'Twitterbot/1.0').class).toBe('preview');
    expect(classWith('not_navigation', chrome, { method: 'HEAD' }).class).toBe('head');
    expect(classWith('not_navigation', chrome, { purpose: 'prefetch' }).class).toBe('prefetch');
  });

  test('bot protection uses headers that are present, and refuses no request because one is missing', () => {
    expect(agentKind({ userAgent: chrome, headerEvidence: 'not_navigation' })).toBe('bot');
    expect(agentKind({ userAgent: chrome, headerEvidence: 'no_browser_headers' })).toBe('person');
    expect(agentKind({ userAgent: 'curl/8.5.0', headerEvidence: 'no_browser_headers' })).toBe('bot');
    expect(agentKind({ userAgent: 'Twitterbot/1.0', headerEvidence: 'not_navigation' })).toBe('preview');
  });
});

describe('an in-app browser is named after its app', () => {
  test('Instagram and Messenger are distinguished from Facebook', () => {
    expect(appBrowser(`${iphone} Mobile/15E148 Instagram 337.0.3.23.54 (iPhone15,2) [FBAN/FBIOS]`)).toBe(
      'Instagram',
    );
    expect(appBrowser(`${iphone} Mobile/15E148 [FBAN/MessengerForiOS;FBAV/470.0]`)).toBe('Messenger');
    expect(appBrowser(`${android} [FB_IAB/Orca-Android;FBAV/470.0;]`)).toBe('Messenger');
  });

  test('WeChat is distinguished from Messenger, and a plain browser is not an app browser', () => {
    expect(appBrowser(`${iphone} Mobile/15E148 MicroMessenger/8.0.49`)).toBe('WeChat');
    expect(appBrowser(`${iphone} Version/17.5 Mobile/15E148 Safari/604.1`)).toBeNull();
  });

  test("an app's name without a browser is not an app browser", () => {
    expect(appBrowser('WhatsApp/2.23.20.0 A')).toBeNull();
    expect(appBrowser('Viber/18.0.1.286 CFNetwork/1335.0.3 Darwin/21.6.0')).toBeNull();
  });
});

test('any text gets a class quickly', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (userAgent) => {
      expect(classOf(userAgent).class).toBeString();
    }),
  );
  for (const piece of ['a', ' ', '(', '/1', 'Mozilla/5.0 (', '1.0.', 'bot']) {
    const start = processorTime();
    classOf(piece.repeat(16_384 / piece.length));
    expect(processorTime() - start).toBeLessThan(200);
  }
});
