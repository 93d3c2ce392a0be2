import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  appBrowser,
  type ClassReason,
  type ClickClass,
  classify,
  isRepeat,
  RecentVisits,
} from './click-class.ts';

type Row = readonly [who: string, userAgent: string, reason: ClassReason];

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const android =
  'Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/131.0.6778.39 Mobile Safari/537.36';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)';
const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)';

const people: readonly Row[] = [
  ['Chrome on Windows', `${windows} Chrome/131.0.0.0 Safari/537.36`, 'browser'],
  ['Chrome on macOS', `${mac} Chrome/131.0.0.0 Safari/537.36`, 'browser'],
  [
    'Chrome on Android',
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
    'browser',
  ],
  [
    'Chrome on a Chromebook',
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    'browser',
  ],
  ['Chrome on an iPhone', `${iphone} CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1`, 'browser'],
  ['Safari on an iPhone', `${iphone} Version/17.5 Mobile/15E148 Safari/604.1`, 'browser'],
  [
    'Safari on an iPad',
    'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    'browser',
  ],
  [
    'Safari on macOS',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'browser',
  ],
  [
    'Firefox on Windows',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
    'browser',
  ],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'browser'],
  ['Firefox on Android', 'Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0', 'browser'],
  ['Firefox on an iPhone', `${iphone} FxiOS/132.0 Mobile/15E148 Safari/605.1.15`, 'browser'],
  ['Edge', `${windows} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.86`, 'browser'],
  ['Edge on Xbox', `${windows} Chrome/70.0.3538.102 Safari/537.36 Edge/18.18363`, 'browser'],
  ['Internet Explorer 11', 'Mozilla/5.0 (Windows NT 6.3; WOW64; Trident/7.0; rv:11.0) like Gecko', 'browser'],
  ['Opera', `${windows} Chrome/117.0.0.0 Safari/537.36 OPR/103.0.0.0`, 'browser'],
  ['Opera of before', 'Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18', 'browser'],
  [
    'a BlackBerry of before',
    'BlackBerry8520/5.0.0.681 Profile/MIDP-2.1 Configuration/CLDC-1.1 VendorID/600',
    'browser',
  ],
  ['Links', 'Links (2.1pre23; Linux 3.5.0 i686; 237x63)', 'browser'],
  ['Vivaldi', `${windows} Chrome/124.0.0.0 Safari/537.36 Vivaldi/6.7.3329.21`, 'browser'],
  [
    'Samsung Internet',
    'Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36',
    'browser',
  ],
  [
    'the DuckDuckGo browser',
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.0.0 Mobile DuckDuckGo/5 Safari/537.36',
    'browser',
  ],
  [
    'Ecosia on an iPhone',
    `${iphone} Version/17.4.1 Mobile/15E148 Safari/604.1 (Ecosia ios@9.2.3.1367)`,
    'browser',
  ],
  [
    'a phone made by Cubot',
    'Mozilla/5.0 (Linux; Android 10; CUBOT X30) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36',
    'browser',
  ],
  [
    'a Huawei phone',
    'Mozilla/5.0 (Linux; Android 12; HarmonyOS; TET-AN00; HMSCore 6.12.4.312) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0.4844.88 HuaweiBrowser/14.0.5.301 Mobile Safari/537.36',
    'browser',
  ],
  [
    'a Samsung television',
    'Mozilla/5.0 (SMART-TV; Linux; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/5.0 Chrome/85.0.4183.93 TV Safari/537.36',
    'browser',
  ],
  [
    'a PlayStation',
    'Mozilla/5.0 (PlayStation; PlayStation 5/6.50) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15',
    'browser',
  ],
  ['a web view of an unnamed iPhone app (Gmail, Mail)', `${iphone} Mobile/15E148`, 'browser'],
  ['a web view of an unnamed Android app', android, 'browser'],
  ['Avast Secure Browser', `${windows} Chrome/131.0.0.0 Safari/537.36 Avast/131.0.0.0`, 'browser'],
  [
    'an Electron app',
    `${windows} PlutoTV/0.2.0 Chrome/78.0.3904.130 Electron/7.1.11 Safari/537.36`,
    'browser',
  ],
  [
    'Instagram on an iPhone',
    `${iphone} Mobile/15E148 Instagram 337.0.3.23.54 (iPhone15,2; iOS 17_5; en_IN; en; scale=3.00; 1179x2556; 612271240)`,
    'app_browser',
  ],
  [
    'Instagram on Android',
    `${android} Instagram 356.0.0.41.101 Android (34/14; 450dpi; 1080x2340; samsung)`,
    'app_browser',
  ],
  ['Threads', `${iphone} Mobile/15E148 Barcelona 345.0.0.20.99 (iPhone15,2; iOS 17_5; en_US)`, 'app_browser'],
  [
    'Facebook on an iPhone',
    `${iphone} Mobile/15E148 [FBAN/FBIOS;FBAV/470.0.0.40.94;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS;FBSV/17.5;FBSS/3;FBID/phone;FBLC/en_US;FBOP/5]`,
    'app_browser',
  ],
  ['Facebook on Android', `${android} [FB_IAB/FB4A;FBAV/263.0.0.46.121;]`, 'app_browser'],
  [
    'Messenger',
    `${iphone} Mobile/15E148 [FBAN/MessengerForiOS;FBAV/470.0.0.28.109;FBLC/en_US]`,
    'app_browser',
  ],
  [
    'TikTok on Android',
    `${android} trill_2021806060 JsSdk/1.0 NetType/WIFI Channel/googleplay AppName/musical_ly app_version/18.6.6 ByteLocale/fr ByteFullLocale/fr Region/FR`,
    'app_browser',
  ],
  [
    'TikTok on an iPhone',
    `${iphone} Mobile/15E148 musical_ly_34.1.0 JsSdk/2.0 NetType/WIFI Channel/App Store ByteLocale/en Region/US BytedanceWebview/d8a21c6`,
    'app_browser',
  ],
  [
    'Snapchat',
    `${iphone} Version/17.5 Mobile/15E148 Snapchat/12.89.0.38 (like Safari/8617.1.17.10.9, panda)`,
    'app_browser',
  ],
  ['Pinterest on an iPhone', `${iphone} Mobile/15E148 [Pinterest/iOS]`, 'app_browser'],
  ['Pinterest on Android', `${android} [Pinterest/Android]`, 'app_browser'],
  ['LinkedIn', `${iphone} Mobile/15E148 [LinkedInApp]/9.30.1523`, 'app_browser'],
  ['X on an iPhone', `${iphone} Mobile/15E148 Twitter for iPhone/10.50`, 'app_browser'],
  ['X on Android', `${android} TwitterAndroid`, 'app_browser'],
  ['Reddit', `${android} Reddit/Version 2024.20.0/Build 1531023/Android 14`, 'app_browser'],
  ["WhatsApp's own browser", `${iphone} Mobile/15E148 WhatsApp/2.24.10.76`, 'app_browser'],
  [
    'Telegram',
    `${android} Telegram-Android/11.0.0 (Samsung SM-S911B; Android 13; SDK 33; HIGH)`,
    'app_browser',
  ],
  ['Viber on Android', `${android} Viber/14.7.0.4`, 'app_browser'],
  ['Viber on an iPhone', `${iphone} Mobile/15E148 Viber/20.6.0.0`, 'app_browser'],
  ['LINE on an iPhone', `${iphone} Mobile/15E148 Safari Line/15.12.0`, 'app_browser'],
  ['LINE on Android', `${android} Line/15.12.0/IAB`, 'app_browser'],
  ['WeChat', `${iphone} Mobile/15E148 MicroMessenger/8.0.49(0x18003133) NetType/WIFI`, 'app_browser'],
  ['KakaoTalk', `${iphone} Mobile/15E148 KAKAOTALK 25.8.0`, 'app_browser'],
  [
    'Slack on a desktop',
    `${mac} Slack/4.38.125 Chrome/124.0.0.0 Electron/30.0.0 Safari/537.36 Sonic Slack_SSB/4.38.125`,
    'app_browser',
  ],
  [
    'Discord on a desktop',
    `${windows} discord/1.0.9147 Chrome/120.0.6099.291 Electron/28.2.10 Safari/537.36`,
    'app_browser',
  ],
  [
    'Teams on a desktop',
    `${windows} Teams/1.5.00.32283 Chrome/85.0.4183.121 Electron/10.4.7 Safari/537.36`,
    'app_browser',
  ],
  [
    'Mattermost on a desktop',
    `${windows} Mattermost/5.5.0 Chrome/114.0.5735.289 Electron/25.8.1 Safari/537.36`,
    'app_browser',
  ],
  ['the Google app', `${iphone} GSA/102.0.304944559 Mobile/15E148 Safari/604.1`, 'app_browser'],
  ['Flipboard', `${android} Flipboard/4.2.24/4732,4.2.24.4732`, 'app_browser'],
  [
    'NAVER',
    'Mozilla/5.0 (Linux; Android 12; SM-G975N Build/SP1A.210812.016; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/90.0.4430.232 Whale/1.0.0.0 Crosswalk/26.90.3.21 Mobile Safari/537.36 NAVER(inapp; search; 1010; 11.11.3)',
    'app_browser',
  ],
  [
    'Alipay',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 11_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15G77 ChannelId(73) NebulaSDK/1.8.100112 Nebula PSDType(1) AliApp(AP/10.1.30.300) AlipayClient/10.1.30.300 Alipay Language/zh-Hans',
    'app_browser',
  ],
];

const previews: readonly Row[] = [
  ['Facebook', 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', 'preview_agent'],
  [
    'iMessage, which claims to be three',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
    'preview_agent',
  ],
  ['X', 'Twitterbot/1.0', 'preview_agent'],
  [
    'LinkedIn',
    'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    'preview_agent',
  ],
  ['Slack', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'preview_agent'],
  ["Slack's picture proxy", 'Slack-ImgProxy (+https://api.slack.com/robots)', 'preview_agent'],
  ['Discord', 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)', 'preview_agent'],
  ['Telegram', 'TelegramBot (like TwitterBot)', 'preview_agent'],
  ['WhatsApp on a phone', 'WhatsApp/2.23.20.0 A', 'preview_agent'],
  ['WhatsApp on the web', 'WhatsApp/2.2123.8 N', 'preview_agent'],
  [
    'Teams and Skype',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
    'preview_agent',
  ],
  ['Pinterest', 'Pinterest/0.2 (+https://www.pinterest.com/bot.html)', 'preview_agent'],
  [
    'Snapchat',
    'Mozilla/5.0 (compatible; Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots)',
    'preview_agent',
  ],
  ['Reddit', 'Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)', 'preview_agent'],
  ['VK', 'Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)', 'preview_agent'],
  ['LINE', 'facebookexternalhit/1.1;line-poker/1.0', 'preview_agent'],
  [
    'KakaoTalk',
    'facebookexternalhit/1.1; kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984',
    'preview_agent',
  ],
  ['Mastodon', 'http.rb/5.1.1 (Mastodon/4.2.0; +https://mastodon.social/)', 'preview_agent'],
  ['Bluesky', 'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)', 'preview_agent'],
  ['Embedly', 'Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)', 'preview_agent'],
];

const machines: readonly Row[] = [
  ['nothing', '', 'empty_user_agent'],
  ['a blank', '  ', 'empty_user_agent'],
  ['Barracuda', 'Barracuda Sentinel (EE)', 'link_scanner'],
  ['Proofpoint', 'Mozilla/5.0 (compatible; ProofPoint URL Defense)', 'link_scanner'],
  ['Mimecast', 'Mimecast-Link-Protect', 'link_scanner'],
  ['Safe Links', 'Microsoft Office Outlook Safe Links Scanner', 'link_scanner'],
  [
    'Outlook, trying a link',
    'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.16327; Pro)',
    'link_scanner',
  ],
  ['Word, trying a link', 'Mozilla/4.0 (compatible; ms-office; MSOffice 16)', 'link_scanner'],
  ['Exchange', 'Microsoft Exchange/15.20 (Windows NT 10.0; Win64; x64)', 'link_scanner'],
  [
    "Gmail's, dressed up as Edge 12",
    `${windows} Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0`,
    'link_scanner',
  ],
  ['Google-Safety', 'Google-Safety; (+http://www.google.com/bot.html)', 'link_scanner'],
  [
    'VirusTotal',
    'AppEngine-Google; (+http://code.google.com/appengine; appid: s~virustotalcloud)',
    'link_scanner',
  ],
  ['Kaspersky', 'Kaspersky Lab CFR link resolver cfradmins@kaspersky.com', 'link_scanner'],
  ['Netcraft', 'Mozilla/5.0 (compatible; NetcraftSurveyAgent/1.0; +info@netcraft.com)', 'link_scanner'],
  ['SafeDNS', 'SafeDNSBot (https://www.safedns.com/searchbot)', 'link_scanner'],
  ['ClamAV', 'ClamAV/0.101.5 (OS: linux-gnu, ARCH: x86_64, CPU: x86_64)', 'link_scanner'],
  ['UptimeRobot', 'Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)', 'monitor'],
  [
    'Pingdom',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Ubuntu Chromium/61.0.3163.100 Chrome/61.0.3163.100 Safari/537.36 PingdomPageSpeed/1.0 (pingbot/2.0; +http://www.pingdom.com/)',
    'monitor',
  ],
  [
    'StatusCake',
    'Mozilla/5.0 (Windows NT 6.2; WOW64) AppleWebKit/537.4 (KHTML, like Gecko) Chrome/98 Safari/537.4 (StatusCake)',
    'monitor',
  ],
  ['Kubernetes', 'kube-probe/1.29', 'monitor'],
  ['an AWS load balancer', 'ELB-HealthChecker/2.0', 'monitor'],
  ['Nagios', 'check_http/v2.2.1 (nagios-plugins 2.2.1)', 'monitor'],
  [
    'Catchpoint',
    'Mozilla/5.0 (X11; Linux x86_64; Catchpoint) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/75.0.3770.90 Safari/537.36',
    'monitor',
  ],
  [
    'Dynatrace on an iPhone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 10_3 like Mac OS X) AppleWebKit/602.1.50 (KHTML, like Gecko) CriOS/56.0.2924.75 Mobile/14E5239e Safari/602.1 RuxitSynthetic/1.0',
    'monitor',
  ],
  [
    'headless Chrome',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.6099.28 Safari/537.36',
    'automation',
  ],
  [
    'PhantomJS',
    'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
    'automation',
  ],
  [
    'Lighthouse',
    'Mozilla/5.0 (Linux; Android 7.0; Moto G (4)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/84.0.4143.7 Mobile Safari/537.36 Chrome-Lighthouse',
    'automation',
  ],
  [
    'Cypress',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Cypress/13.6.0 Chrome/114.0.5735.289 Electron/25.8.4 Safari/537.36',
    'automation',
  ],
  ['curl', 'curl/8.5.0', 'http_library'],
  ['wget', 'Wget/1.21.4', 'http_library'],
  ['python-requests', 'python-requests/2.32.3', 'http_library'],
  ['aiohttp', 'Python/3.9 aiohttp/3.8.1', 'http_library'],
  ['Go', 'Go-http-client/2.0', 'http_library'],
  ['OkHttp', 'okhttp/4.10.0', 'http_library'],
  ['axios', 'axios/1.7.2', 'http_library'],
  ['node-fetch', 'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)', 'http_library'],
  ["Node's fetch", 'node', 'http_library'],
  ['undici', 'undici', 'http_library'],
  ['Bun', 'Bun/1.4.5', 'http_library'],
  ['Java', 'Java/17.0.2', 'http_library'],
  ['Apache HttpClient', 'Apache-HttpClient/4.5.1 (Java/1.8.0_172)', 'http_library'],
  ['Perl', 'libwww-perl/6.04', 'http_library'],
  [
    'PowerShell',
    'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.22621.2506',
    'http_library',
  ],
  ['Postman', 'PostmanRuntime/7.29.0', 'http_library'],
  [
    'an Android app, without its browser',
    'Dalvik/2.1.0 (Linux; U; Android 12; SM-G970U Build/SP1A.210812.016)',
    'http_library',
  ],
  ["Safari's fetcher of icons", 'MobileSafari/604.1 CFNetwork/1125.2 Darwin/19.4.0', 'http_library'],
  ['Scrapy', 'Scrapy/2.11.0 (+https://scrapy.org)', 'http_library'],
  [
    'Googlebot on a telephone',
    'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.6778.69 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'known_crawler',
  ],
  ['Googlebot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'known_crawler'],
  [
    'bingbot',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
    'known_crawler',
  ],
  [
    'Applebot',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)',
    'known_crawler',
  ],
  ['YandexBot', 'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)', 'known_crawler'],
  [
    'Baidu',
    'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
    'known_crawler',
  ],
  [
    'Yahoo',
    'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
    'known_crawler',
  ],
  ['Ahrefs', 'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)', 'known_crawler'],
  [
    'GPTBot',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    'known_crawler',
  ],
  [
    'ClaudeBot',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
    'known_crawler',
  ],
  [
    'ChatGPT, asked by someone',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)',
    'known_crawler',
  ],
  [
    'Bytespider',
    'Mozilla/5.0 (Linux; Android 6.0; Nexus 5 Build/MRA58N) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/51.0.5668.1446 Mobile Safari/537.36; Bytespider;bytespider@bytedance.com',
    'known_crawler',
  ],
  [
    'a crawler that poses as an in-app browser',
    `${android} [FB_IAB/FB4A;FBAV/263.0.0.46.121;] (compatible; ExampleBot/1.0)`,
    'known_crawler',
  ],
  [
    'the Internet Archive',
    'Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)',
    'known_crawler',
  ],
  ['a feed reader', 'FeedBurner/1.0 (http://www.FeedBurner.com)', 'bot_pattern'],
  ['WordPress', 'WordPress/6.5.2; https://example.com', 'bot_pattern'],
  [
    'the Gmail image proxy',
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    'bot_pattern',
  ],
  ['a name and nothing else', 'SCALE Device Updater 12 (build 4; linux)', 'unlike_browser'],
];

const classOf = (userAgent: string) => classify({ method: 'GET', userAgent, purpose: '' });

describe('a user agent gives a hit its class', () => {
  const tables: readonly (readonly [ClickClass, readonly Row[]])[] = [
    ['human', people],
    ['preview', previews],
    ['bot', machines],
  ];
  for (const [expected, rows] of tables) {
    for (const [who, userAgent, reason] of rows) {
      test(`${expected}: ${who}`, () => {
        expect(classOf(userAgent)).toEqual({ class: expected, reason });
      });
    }
  }
});

describe('a request that is not a visit is none, whoever sends it', () => {
  const browser = `${windows} Chrome/131.0.0.0 Safari/537.36`;
  const rows: readonly (readonly [string, string, string, ClickClass, ClassReason])[] = [
    ['a HEAD probe', 'HEAD', '', 'head', 'head_method'],
    ['an OPTIONS request', 'OPTIONS', '', 'bot', 'unusual_method'],
    ['Sec-Purpose of a prefetch', 'GET', 'prefetch', 'prefetch', 'purpose_header'],
    ['Sec-Purpose of a prerender', 'GET', 'prefetch;prerender', 'prefetch', 'purpose_header'],
    ['Sec-Purpose through a proxy', 'GET', 'prefetch;anonymous-client-ip', 'prefetch', 'purpose_header'],
    ["X-Purpose of Safari's top sites", 'GET', 'preview', 'prefetch', 'purpose_header'],
    ['X-Moz in capitals', 'GET', 'Prefetch', 'prefetch', 'purpose_header'],
    ['a purpose nobody knows', 'GET', 'navigate', 'human', 'browser'],
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
    const begun = performance.now();
    classOf(piece.repeat(16_384 / piece.length));
    expect(performance.now() - begun).toBeLessThan(200);
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

  test('is one of the same visitor on the same link', () => {
    const recent = new RecentVisits();
    expect(recent.repeats(1, 7_000_000, at)).toBe(false);
    expect(recent.repeats(1, 7_000_000, at + 300)).toBe(true);
    expect(recent.repeats(2, 7_000_000, at + 300)).toBe(false);
    expect(recent.repeats(1, 9_000_000, at + 300)).toBe(false);
  });

  test('does not prolong the window: who clicks every second clicks once in ten', () => {
    const recent = new RecentVisits();
    const clicks = Array.from({ length: 60 }, (_, second) => recent.repeats(1, 7, at + second * 1_000));
    expect(clicks.filter((repeated) => !repeated)).toHaveLength(6);
  });

  test('is found across the change of generations', () => {
    const recent = new RecentVisits();
    recent.repeats(1, 1_000, at);
    recent.repeats(1, 2_000, at + 9_000);
    expect(recent.repeats(1, 3_000, at + 11_000)).toBe(false);
    expect(recent.repeats(1, 2_000, at + 12_000)).toBe(true);
  });

  test('costs bounded memory', () => {
    const recent = new RecentVisits(1_000);
    for (let visitor = 0; visitor < 50_000; visitor++) recent.repeats(1, visitor * 100, at);
    expect(recent.size).toBeLessThanOrEqual(2_000);
    expect(recent.repeats(1, 49_999 * 100, at)).toBe(true);
  });

  test('is decided alike when the same hits are replayed', () => {
    const hits = fc.array(fc.tuple(fc.nat(2), fc.nat(3), fc.nat(4_000)), { maxLength: 200 });
    fc.assert(
      fc.property(hits, (steps) => {
        const run = () => {
          const recent = new RecentVisits(8);
          let now = at;
          return steps.map(([link, visitor, step]) => {
            now += step;
            return recent.repeats(link, visitor * 1_000, now);
          });
        };
        expect(run()).toEqual(run());
      }),
    );
  });
});
