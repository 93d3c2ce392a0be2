import { describe, expect, test } from 'bun:test';
import { firefox } from '../../../test/support/agents-of-people.ts';
import type { Device } from '../link-rules/visitor.ts';
import { agentKind, deviceOf } from './visitor-kind.ts';

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const webView =
  'Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/124.0.6367.82 Mobile Safari/537.36';
const windowsChrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const macSafari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15';
const electron = (app: string) =>
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) ${app} Chrome/128.0.6613.186 Electron/32.1.2 Safari/537.36`;

describe('clients that preview pasted links', () => {
  test.each([
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'meta-externalfetcher/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
    'Twitterbot/1.0',
    'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'Slack-ImgProxy (+https://api.slack.com/robots)',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'TelegramBot (like TwitterBot)',
    'WhatsApp/2.23.20.0 A',
    'WhatsApp/2',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
    `${windowsChrome} Edg/107.0.1418.52 MicrosoftPreview/2.0 +https://aka.ms/MicrosoftPreview`,
    'Pinterest/0.2 (+http://www.pinterest.com/bot.html)',
    'Mozilla/5.0 (compatible; Pinterestbot/1.0; +https://www.pinterest.com/bot.html)',
    'Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)',
    'Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)',
    'Mozilla/5.0 (compatible; Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots)',
    'facebookexternalhit/1.1;line-poker/1.0',
    'facebookexternalhit/1.1; kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984',
    'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)',
    'Mastodon/4.3.1 (http.rb/5.2.0; +https://mastodon.social/) Bot',
    'http.rb/5.1.1 (Mastodon/4.2.1; +https://fosstodon.org/)',
    'Synapse (bot; +https://github.com/matrix-org/synapse)',
    'Iframely/1.3.1 (+https://iframely.com/docs/about)',
    'Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)',
    'Mattermost-Bot/1.1',
    'Mozilla/5.0 (compatible; ZulipURLPreview/8.3; +https://chat.zulip.org)',
    'Nextcloud Server Crawler',
    'Lemmy/0.19.3; +https://lemmy.world',
    // The user agent of an iPhone's Messages app.
    `${macSafari} facebookexternalhit/1.1 Facebot Twitterbot/1.0`,
  ])('%s', (userAgent) => {
    expect(agentKind({ userAgent, headerEvidence: 'none' })).toBe('preview');
  });
});

describe('bots', () => {
  test.each([
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.6367.60 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
    `${macSafari} (Applebot/0.1; +http://www.apple.com/go/applebot)`,
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
    'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
    'CCBot/2.0 (https://commoncrawl.org/faq/)',
    'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
    'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/124.0.0.0 Safari/537.36',
    'UptimeRobot/2.0; http://www.uptimerobot.com/',
    'curl/8.7.1',
    'Wget/1.21.4',
    'python-requests/2.31.0',
    'Go-http-client/2.0',
    'okhttp/4.12.0',
    'axios/1.6.8',
    'PostmanRuntime/7.37.3',
    'Mozilla/5.0',
    '',
  ])('%s', (userAgent) => {
    expect(agentKind({ userAgent, headerEvidence: 'none' })).toBe('bot');
  });

  test('a client without a user agent', () => {
    expect(agentKind({ userAgent: '', headerEvidence: 'none' })).toBe('bot');
  });
});

describe('people', () => {
  test.each([
    windowsChrome,
    macSafari,
    firefox,
    `${iphone} Version/17.4.1 Mobile/15E148 Safari/604.1`,
    'Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; id) Presto/2.12.423 Version/12.16',
    // A phone of the brand Cubot.
    'Mozilla/5.0 (Linux; Android 11; CUBOT X30) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36',
    // In-app browsers of apps whose servers fetch previews under the same name.
    `${iphone} Mobile/21E236 [FBAN/FBIOS;FBAV/459.0.0.33.109;FBDV/iPhone15,3;FBSN/iOS;FBLC/en_US;FBOP/5]`,
    `${webView} [FB_IAB/FB4A;FBAV/459.0.0.44.109;]`,
    `${iphone} Mobile/21E236 Instagram 328.0.4.33.90 (iPhone15,3; iOS 17_4_1; en_US)`,
    `${iphone} Version/16.0 Mobile/15E148 Snapchat/12.83.0.41 (like Safari/8618.1.15.10.15, panda)`,
    `${webView} Snapchat/12.83.0.41`,
    `${iphone} Mobile/15E148 [Pinterest/iOS]`,
    `${webView} [Pinterest/Android]`,
    `${iphone} Mobile/15E148 [LinkedInApp]/9.29.8962`,
    `${iphone} Mobile/15E148 WhatsApp/2.24.9.78`,
    `${webView} Viber/22.4.0`,
    `${webView} KAKAOTALK 10.7.5`,
    `${iphone} Mobile/15E148 Safari Line/14.5.0`,
    electron('Mattermost/5.8.1'),
    electron('Rocket.Chat/4.1.2'),
    electron('ZulipElectron/5.11.1'),
    electron('discord/1.0.9146'),
  ])('%s', (userAgent) => {
    expect(agentKind({ userAgent, headerEvidence: 'none' })).toBe('person');
  });
});

describe('the device of a visitor', () => {
  test.each<[string, Device, string | null, string | null]>([
    ['an Android phone', 'android', webView, null],
    ['an Android phone that gives the hint', 'android', webView, '"Android"'],
    ['an iPhone', 'ios', `${iphone} Version/17.4.1 Mobile/15E148 Safari/604.1`, null],
    [
      'an iPad that requests mobile pages',
      'ios',
      'Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1 Mobile/15E148 Safari/604.1',
      null,
    ],
    [
      'an iPod',
      'ios',
      'Mozilla/5.0 (iPod touch; CPU iPhone OS 12_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.0 Mobile/15E148 Safari/604.1',
      null,
    ],
    [
      'an app on an iPad that requests desktop pages',
      'ios',
      macSafari.replace('Safari', 'Mobile/15E148 Safari'),
      null,
    ],
    ['Chrome on such an iPad', 'ios', macSafari.replace('Version/17.4', 'CriOS/124.0.6367.111'), null],
    ['Firefox on such an iPad', 'ios', macSafari.replace('Version/17.4', 'FxiOS/125.0'), null],
    ['a Mac', 'other', macSafari, '"macOS"'],
    ['a Mac without the hint', 'other', macSafari, null],
    ['a Windows computer', 'other', windowsChrome, '"Windows"'],
    ['an iPhone that gives the hint', 'ios', windowsChrome, '"iOS"'],
    ['a hint without quotes', 'android', null, 'Android'],
    ['a hint that contradicts the user agent, and takes precedence', 'other', webView, '"Linux"'],
    ['a hint of Android that contradicts the user agent', 'android', windowsChrome, '"Android"'],
    ['a hint of an unknown platform', 'android', webView, '"Unknown"'],
    ['an empty hint', 'android', webView, '""'],
    [
      'a Windows Phone that calls itself Android',
      'other',
      'Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/52.0.2743.116 Mobile Safari/537.36 Edge/15.15063',
      null,
    ],
    [
      'a Windows Phone that calls itself both',
      'other',
      'Mozilla/5.0 (Mobile; Windows Phone 8.1; Android 4.0; ARM; Trident/7.0; Touch; rv:11.0; IEMobile/11.0; NOKIA; Lumia 520) like iPhone OS 7_0_3 Mac OS X AppleWebKit/537 (KHTML, like Gecko) Mobile Safari/537',
      null,
    ],
    [
      'a KaiOS phone that calls itself Android',
      'other',
      'Mozilla/5.0 (Mobile; LYF/F120B/LYF-F120B-000-02-28-130318; Android; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5',
      null,
    ],
    [
      'a Chromebook',
      'other',
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36',
      '"Chrome OS"',
    ],
    [
      'a MiPad',
      'android',
      'Mozilla/5.0 (Linux; U; Android 5.1; zh-cn; MiPad Build/LMY47I) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/53.0.2785.146 Mobile Safari/537.36 XiaoMi/MiuiBrowser/9.1.3',
      null,
    ],
    [
      'a HiPad',
      'android',
      'Mozilla/5.0 (Linux; Android 10; HiPad X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/86.0.4240.198 Safari/537.36',
      null,
    ],
    [
      "only Facebook's own part of a user agent, on Android",
      'android',
      '[FBAN/FB4A;FBAV/444.0.0.23.106;FBDM/{density=3.0,width=1080,height=2220};FBDV/SM-S911B;FBSV/13]',
      null,
    ],
    [
      'the same on an iPhone',
      'ios',
      '[FBAN/FBIOS;FBAV/444.0.0.23.106;FBDV/iPhone13,2;FBMD/iPhone;FBSN/iOS;FBSV/16.5]',
      null,
    ],
    ['no user agent', 'other', null, null],
  ])('%s', (_, device, userAgent, hint) => {
    expect(deviceOf(userAgent, hint)).toBe(device);
  });
});
