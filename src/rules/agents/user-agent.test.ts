import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { withoutWww } from '../host.ts';
import { type Agent, firstLanguage, readAgent, referrerHost } from './user-agent.ts';

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

describe('reading a user agent', () => {
  const rows: readonly (readonly [string, Agent['device'], string, string, string, string])[] = [
    [`${iphone} Version/17.5 Mobile/15E148 Safari/604.1`, 'mobile', 'iOS', '17.5', 'Safari', '17'],
    [`${iphone} CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1`, 'mobile', 'iOS', '17.5', 'Chrome', '126'],
    [`${iphone} Mobile/15E148`, 'mobile', 'iOS', '17.5', 'Safari', ''],
    [
      `${iphone} Mobile/15E148 Instagram 337.0.3.23.54 (iPhone15,2; iOS 17_5)`,
      'mobile',
      'iOS',
      '17.5',
      'Instagram',
      '',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
      'mobile',
      'Android',
      '14',
      'Chrome',
      '131',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      'tablet',
      'Android',
      '14',
      'Chrome',
      '131',
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
      'tablet',
      'iOS',
      '16.6',
      'Safari',
      '16',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131 Version/15.0 Safari/605.1.15',
      'tablet',
      'iOS',
      '',
      'Chrome',
      '131',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.86',
      'desktop',
      'Windows',
      '10',
      'Microsoft Edge',
      '131',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0',
      'desktop',
      'macOS',
      '10.15',
      'Firefox',
      '132',
    ],
    [
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      'desktop',
      'Chrome OS',
      '',
      'Chrome',
      '131',
    ],
    [
      'Mozilla/5.0 (X11; FreeBSD amd64; rv:120.0) Gecko/20100101 Firefox/120.0',
      'desktop',
      'FreeBSD',
      '',
      'Firefox',
      '120',
    ],
    [
      'Mozilla/5.0 (Linux; Android 9; BRAVIA 4K UR2 Build/PTT1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/92.0.4515.159 Safari/537.36',
      'tv',
      'Android',
      '9',
      'Chrome',
      '92',
    ],
    [
      'Mozilla/5.0 (PlayStation; PlayStation 5/6.50) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15',
      'tv',
      'PlayStation',
      '',
      'Safari',
      '15',
    ],
    [
      'Mozilla/5.0 (Linux; U; Android 5.1; zh-cn; MiPad Build/LMY47I) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/53.0.2785.146 Mobile Safari/537.36 XiaoMi/MiuiBrowser/9.1.3',
      'tablet',
      'Android',
      '5.1',
      'Mi Browser',
      '9',
    ],
    [
      'Mozilla/5.0 (Linux; Android 10; HiPad X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/86.0.4240.198 Safari/537.36',
      'tablet',
      'Android',
      '10',
      'Chrome',
      '86',
    ],
    [
      'Mozilla/5.0 (Linux; arm_64; Android 12; CTR-L81) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.7871.119 YaBrowser/26.8.3.119.00 Mobile Safari/537.36',
      'mobile',
      'Android',
      '12',
      'Yandex Browser',
      '26',
    ],
    [
      'Mozilla/5.0 (Linux; Android 12; HarmonyOS; TET-AN00; HMSCore 6.12.4.312) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0.4844.88 HuaweiBrowser/14.0.5.301 Mobile Safari/537.36',
      'mobile',
      'HarmonyOS',
      '',
      'Huawei Browser',
      '14',
    ],
    [
      'Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile HuaweiBrowser/5.0.4.300',
      'mobile',
      'HarmonyOS',
      '5.0',
      'Huawei Browser',
      '5',
    ],
    [
      'UCWEB/2.0 (MIDP-2.0; U; Adr 4.4.2; en-US; SM-G355H) U2/1.0.0 UCBrowser/10.7.6.805 U2/1.0.0 Mobile',
      'mobile',
      'Android',
      '4.4.2',
      'UC Browser',
      '10',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36',
      'mobile',
      'Android',
      '14',
      'Samsung Internet for Android',
      '26',
    ],
    ['curl/8.5.0', 'other', 'Unknown', '', 'Unknown', ''],
    ['', 'other', 'Unknown', '', 'Unknown', ''],
  ];
  for (const [userAgent, device, os, osVersion, browser, browserVersion] of rows) {
    test(userAgent || 'no user agent', () => {
      expect(readAgent(userAgent)).toEqual({ device, os, osVersion, browser, browserVersion });
    });
  }

  test("can't be used to bring new names or markup into the statistics", () => {
    expect(readAgent('MyOwnBrowser/1.0 (MyOwnSystem)').browser).toBe('Unknown');
    const markup =
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/<script> Safari/537.36';
    expect(JSON.stringify(readAgent(markup))).not.toContain('<');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(readAgent(text).osVersion).toMatch(/^[\w.]{0,20}$/);
      }),
    );
  });
});

test('the language is the first one requested, without its region', () => {
  for (const [header, language] of [
    ['de-DE,de;q=0.9,en;q=0.8', 'de'],
    ['pt-BR', 'pt'],
    ['EN', 'en'],
    [' fr ;q=0.5', 'fr'],
    ['zh-Hant-TW, en', 'zh'],
    ['fil-PH', 'fil'],
    ['', ''],
    ['*', ''],
    ['x', ''],
    ['english', ''],
    ['<b>', ''],
  ] as const) {
    expect([header, firstLanguage(header)]).toEqual([header, language]);
  }
});

test('a referrer is its host', () => {
  for (const [referer, host] of [
    ['https://www.Google.com/search?q=secret', 'www.google.com'],
    ['http://example.com:8080/', 'example.com'],
    ['https://user:password@example.com./x', 'example.com'],
    ['https://müller.example/', 'xn--mller-kva.example'],
    ['http://[2001:db8::1]/', '[2001:db8::1]'],
    ['android-app://com.google.android.gm/', 'com.google.android.gm'],
    ['', ''],
    ['about:blank', ''],
    ['javascript:alert(1)', ''],
    ['data:text/html,x', ''],
    ['not an address', ''],
    ['android-app://<script>/', ''],
    [`https://${'a.'.repeat(140)}example/`, ''],
  ] as const) {
    expect([referer, referrerHost(referer)]).toEqual([referer, host]);
  }
  expect(withoutWww('www.google.com')).toBe('google.com');
  expect(withoutWww('wwwords.com')).toBe('wwwords.com');
});
