import type { ClassReason } from '../../src/rules/click-fields.ts';

/** A user agent seen in the wild, and the reason for the class of its hits. */
export type AgentRow = readonly [who: string, userAgent: string, reason: ClassReason];

export const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
export const android =
  'Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/131.0.6778.39 Mobile Safari/537.36';
export const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)';
export const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)';

/** Firefox on Linux. */
export const firefoxOf = (version: number): string =>
  `Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`;
export const firefox = firefoxOf(140);

export const people: readonly AgentRow[] = [
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
  ['Firefox on Linux', firefoxOf(132), 'browser'],
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
  ['Toutiao, which is named for news', `${android} JsSdk/2 NewsArticle/9.8.5 NetType/wifi`, 'app_browser'],
  ['SmartNews', `${iphone} Mobile/15E148 SmartNews 24.5.20`, 'app_browser'],
  ['TripAdvisor, an app whose name isbot looks for', `${iphone} Mobile/15E148 TripAdvisor/61.3`, 'browser'],
  ['an app that scans QR codes', `${android} QRScanner/2.1`, 'browser'],
  ['an app that downloads', `${android} VideoDownloader/1.9`, 'browser'],
  ['a news reader without a name', `${android} DailyNews/4.1`, 'browser'],
  [
    'a VIDAA television',
    'Mozilla/5.0 (Linux; Andr0id 9; VIDAA 6.0; Hisense; HiSmartTV; 55A6G) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/88.0.4324.150 Safari/537.36 VIDAA/6.0(Hisense;SmartTV;43A53FUV;MTK9602/V0000.06.12A.N0713;UHD;HU43A53FUV;)',
    'browser',
  ],
  [
    'Google TV',
    'Mozilla/5.0 (Linux; Android 12; Google TV Streamer Build/UTT3.240625.001) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.6478.122 Safari/537.36',
    'browser',
  ],
  [
    'a phone called Discovery',
    'Mozilla/5.0 (Linux; Android 13; Discovery X5) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
    'browser',
  ],
  [
    'a phone called Catch',
    'Mozilla/5.0 (Linux; Android 8.1.0; Catch 5S) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0.4844.88 Mobile Safari/537.36',
    'browser',
  ],
  [
    'Facebook, which leaves out all but its own part',
    '[FBAN/FB4A;FBAV/470.0.0.39.107;FBBV/626532149;FBDM/{density=2.625,width=1080,height=2211};FBLC/en_US;FBPN/com.facebook.katana;FBDV/SM-A515F;FBSV/13;]',
    'app_browser',
  ],
  [
    'DuckDuckGo, which leaves out the phone',
    'Mozilla/5.0 (Linux; Android 10) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/84.0.4147.111 Mobile DuckDuckGo/5 Safari/537.36',
    'browser',
  ],
  [
    'DuckDuckGo, which leaves out the beginning',
    'AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/118.0.0.0 Mobile DuckDuckGo/5 Safari/537.36',
    'browser',
  ],
  ['an app that writes its name in front', `TV Bro/1.0 ${android}`, 'browser'],
  [
    'Konqueror, which calls itself compatible',
    'Mozilla/5.0 (compatible; Konqueror/4.5; Linux) KHTML/4.5.4 (like Gecko)',
    'browser',
  ],
];
