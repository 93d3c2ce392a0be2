import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { machines, previews } from '../../test/support/agents-of-machines.ts';
import { type AgentRow, android, iphone, people, windows } from '../../test/support/agents-of-people.ts';
import { processorTime } from '../../test/support/stretched.ts';
import { appBrowser } from './app-browsers.ts';
import { classify, isRepeat } from './click-class.ts';
import type { ClassReason, ClickClass } from './click-fields.ts';
import type { AgentKind } from './resolve.ts';
import { agentKind } from './visitor-kind.ts';

const classOf = (userAgent: string) => classify({ method: 'GET', userAgent, purpose: '' });

describe('a user agent gives a hit its class', () => {
  const tables: readonly (readonly [ClickClass, readonly AgentRow[]])[] = [
    ['human', people],
    ['preview', previews],
    ['bot', machines],
  ];
  for (const [expected, rows] of tables) {
    for (const [who, userAgent, reason] of rows) {
      test(`${expected}: ${who}`, () => {
        expect(classOf(userAgent)).toEqual({ class: expected, reason });
        expect(agentKind(userAgent)).toBe(expected === 'human' ? 'person' : (expected as AgentKind));
      });
    }
  }
});

describe('a request that is not a visit is none, whatever client sends it', () => {
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
  for (const [what, method, purpose, expected, reason] of rows) {
    test(what, () => {
      expect(classify({ method, userAgent: browser, purpose })).toEqual({ class: expected, reason });
    });
  }

  test('a HEAD probe of a crawler is a HEAD probe', () => {
    expect(classify({ method: 'HEAD', userAgent: 'curl/8.5.0', purpose: '' }).class).toBe('head');
  });
});

describe('an app is named by its browser', () => {
  test('Instagram and Messenger are not Facebook', () => {
    expect(appBrowser(`${iphone} Mobile/15E148 Instagram 337.0.3.23.54 (iPhone15,2) [FBAN/FBIOS]`)).toBe(
      'Instagram',
    );
    expect(appBrowser(`${iphone} Mobile/15E148 [FBAN/MessengerForiOS;FBAV/470.0]`)).toBe('Messenger');
    expect(appBrowser(`${android} [FB_IAB/Orca-Android;FBAV/470.0;]`)).toBe('Messenger');
  });

  test('WeChat is not Messenger, and a plain browser is no app', () => {
    expect(appBrowser(`${iphone} Mobile/15E148 MicroMessenger/8.0.49`)).toBe('WeChat');
    expect(appBrowser(`${iphone} Version/17.5 Mobile/15E148 Safari/604.1`)).toBeNull();
  });

  test('the name of an app without a browser around it is none', () => {
    expect(appBrowser('WhatsApp/2.23.20.0 A')).toBeNull();
    expect(appBrowser('Viber/18.0.1.286 CFNetwork/1335.0.3 Darwin/21.6.0')).toBeNull();
  });
});

test('any text at all gets a class, in no time', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (userAgent) => {
      expect(classOf(userAgent).class).toBeString();
    }),
  );
  for (const piece of ['a', ' ', '(', '/1', 'Mozilla/5.0 (', '1.0.', 'bot']) {
    const begun = processorTime();
    classOf(piece.repeat(16_384 / piece.length));
    expect(processorTime() - begun).toBeLessThan(200);
  }
});

describe('a repeat', () => {
  const at = Date.UTC(2026, 5, 1);

  test('is the same within ten seconds, either way', () => {
    expect(isRepeat(undefined, at)).toBe(false);
    expect(isRepeat(at, at)).toBe(true);
    expect(isRepeat(at, at + 9_999)).toBe(true);
    expect(isRepeat(at, at + 10_000)).toBe(false);
    expect(isRepeat(at, at - 500)).toBe(true);
    expect(isRepeat(at, at - 3_600_000)).toBe(false);
  });
});
