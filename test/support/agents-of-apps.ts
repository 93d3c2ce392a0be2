import type { DeviceKind } from '../../src/rules/click-fields.ts';

/** A browser inside an app, and what should be parsed from its user agent. */
interface AppAgent {
  readonly userAgent: string;
  readonly app: string;
  readonly os: string;
  readonly device: DeviceKind;
}

interface AppDevice {
  readonly os: 'iOS' | 'Android' | 'Windows' | 'macOS';
  readonly device: DeviceKind;
  /** The user agent of the system's web view, to which apps append a part of their own. */
  readonly view: string;
  readonly model: string;
  readonly version: string;
}

const iosView = (name: string, system: string): string =>
  `Mozilla/5.0 (${name}; CPU ${name === 'iPad' ? '' : 'iPhone '}OS ${system.replaceAll('.', '_')} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)`;
const ios = (name: string, model: string, version: string): AppDevice => ({
  os: 'iOS',
  device: name === 'iPad' ? 'tablet' : 'mobile',
  view: `${iosView(name, version)} Mobile/15E148`,
  model,
  version,
});
const android = (
  device: DeviceKind,
  model: string,
  version: string,
  build: string,
  chrome: string,
): AppDevice => ({
  os: 'Android',
  device,
  view: `Mozilla/5.0 (Linux; Android ${version}; ${model} Build/${build}; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/${chrome} ${device === 'mobile' ? 'Mobile ' : ''}Safari/537.36`,
  model,
  version,
});

const devices: readonly AppDevice[] = [
  ios('iPhone', 'iPhone15,2', '17.5'),
  ios('iPhone', 'iPhone17,1', '18.6.2'),
  ios('iPad', 'iPad13,4', '16.6'),
  android('mobile', 'SM-S918B', '14', 'UP1A.231005.007', '131.0.6778.39'),
  android('mobile', 'Pixel 8', '15', 'AP3A.241105.007', '130.0.6723.107'),
  android('mobile', '2201116SG', '13', 'TKQ1.221114.001', '119.0.6045.193'),
  android('tablet', 'SM-X710', '14', 'UP1A.231005.007', '128.0.6613.146'),
  android('tablet', 'Lenovo TB-X606F', '10', 'QP1A.190711.020', '96.0.4664.104'),
];
const desktops: readonly AppDevice[] = [
  {
    os: 'Windows',
    device: 'desktop',
    view: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)',
    model: '',
    version: '10.0',
  },
  {
    os: 'macOS',
    device: 'desktop',
    view: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)',
    model: '',
    version: '10.15.7',
  },
];

/** What an app appends to the web view's user agent; null if the app doesn't exist on that system. */
type Part = string | ((on: AppDevice) => string);
type AppRow = readonly [app: string, onIos: Part | null, onAndroid: Part | null];

const apps: readonly AppRow[] = [
  [
    'Instagram',
    (on) =>
      ` Instagram 337.0.3.23.54 (${on.model}; iOS ${on.version.replaceAll('.', '_')}; en_US; en; scale=3.00; 1179x2556; 612271240)`,
    (on) =>
      ` Instagram 356.0.0.41.101 Android (34/${on.version}; 450dpi; 1080x2340; samsung; ${on.model}; dm3q; qcom; en_GB; 656483215)`,
  ],
  [
    'Threads',
    (on) => ` Barcelona 345.0.0.20.99 (${on.model}; iOS ${on.version.replaceAll('.', '_')}; en_US)`,
    (on) => ` Barcelona 352.0.0.27.109 Android (34/${on.version}; 450dpi; 1080x2340; samsung; ${on.model})`,
  ],
  [
    'Messenger',
    (on) =>
      ` [FBAN/MessengerForiOS;FBAV/470.0.0.28.109;FBBV/626532149;FBDV/${on.model};FBMD/iPhone;FBSN/iOS;FBSV/${on.version};FBSS/3;FBCR/;FBID/phone;FBLC/en_US;FBOP/0]`,
    ' [FB_IAB/Orca-Android;FBAV/470.0.0.46.109;]',
  ],
  [
    'Facebook',
    (on) =>
      ` [FBAN/FBIOS;FBAV/470.0.0.40.94;FBBV/626532149;FBDV/${on.model};FBMD/iPhone;FBSN/iOS;FBSV/${on.version};FBSS/3;FBID/phone;FBLC/de_DE;FBOP/5;FBRV/0;IABMV/1]`,
    ' [FB_IAB/FB4A;FBAV/470.0.0.39.107;IABMV/1;]',
  ],
  ['Facebook', null, ' MetaIAB Facebook'],
  [
    'TikTok',
    ' musical_ly_34.1.0 JsSdk/2.0 NetType/WIFI Channel/App Store ByteLocale/en Region/US RevealType/Dialog isDarkMode/0 WKWebView/1 BytedanceWebview/d8a21c6',
    ' trill_2022407060 JsSdk/1.0 NetType/WIFI Channel/googleplay AppName/trill app_version/35.4.3 ByteLocale/en ByteFullLocale/en Region/US AppId/1180 Spark/1.5.9.7 AppVersion/35.4.3 BytedanceWebview/d8a21c6',
  ],
  [
    'Snapchat',
    ' Snapchat/12.89.0.38 (like Safari/8617.1.17.10.9, panda)',
    'Snapchat12.90.0.45 (SM-S918B; Android 14#S918BXXS3BXD6#34; gzip; )',
  ],
  ['Pinterest', ' [Pinterest/iOS]', ' [Pinterest/Android]'],
  ['LinkedIn', ' [LinkedInApp]/9.30.1523', ' [LinkedInApp]'],
  ['X', ' Twitter for iPhone/10.50', ' TwitterAndroid'],
  ['Reddit', ' Reddit/Version 2024.20.0/Build 614973', ' Reddit/Version 2024.20.0/Build 1531023/Android 14'],
  ['WhatsApp', ' WhatsApp/2.24.10.76', ' WhatsApp/2.24.21.79'],
  ['Telegram', null, (on) => ` Telegram-Android/11.0.0 (${on.model}; Android ${on.version}; SDK 34; HIGH)`],
  ['Viber', ' Viber/20.6.0.0', ' Viber/22.3.1.0'],
  ['LINE', ' Safari Line/15.12.0', ' Line/15.12.0/IAB'],
  [
    'WeChat',
    ' MicroMessenger/8.0.49(0x18003133) NetType/WIFI Language/zh_CN',
    ' XWEB/1160117 MMWEBSDK/20240404 MMWEBID/2307 MicroMessenger/8.0.49.2600(0x2800313D) WeChat/arm64 Weixin NetType/WIFI Language/zh_CN ABI/arm64',
  ],
  ['KakaoTalk', ' KAKAOTALK 25.8.0', ' KAKAOTALK/25.8.0 (INAPP)'],
  ['KakaoStory', ' KAKAOSTORY', ' KAKAOSTORY/6.9.0'],
  ['Flipboard', ' Flipboard/4.2.32', ' Flipboard/4.2.24/4732,4.2.24.4732'],
  ['Google News', ' GNews iOS/5.99.0', ' GNews Android/2022137898'],
  ['Google app', ' GSA/340.3.689937600 Safari/604.1', ' GSA/15.45.41.28.arm64'],
  ['Google app', null, ' GoogleApp/15.45.41.28.arm64'],
  ['Bing app', ' BingSapphire/31.4.430730001', ' BingSapphire/30.6.421114302'],
  [
    'Baidu app',
    (on) => ` SP-engine/2.16.0 main/1.0 baiduboxapp/11.20.0.17 (Baidu; P2 ${on.version}) NABar/1.0`,
    (on) => ` T7/13.34 baiduboxapp/13.34.0.10 (Baidu; P1 ${on.version})`,
  ],
  [
    'NAVER',
    ' Safari/605.1 NAVER(inapp; search; 2000; 12.3.6; 14PRO)',
    ' NAVER(inapp; search; 1010; 11.11.3)',
  ],
  ['Daum', ' DaumApps/7.2.0', ' DaumApps/7.9.0 DaumDevice/mobile'],
  [
    'Alipay',
    ' ChannelId(73) NebulaSDK/1.8.100112 Nebula PSDType(1) AliApp(AP/10.1.30.300) AlipayClient/10.1.30.300 Alipay Language/zh-Hans',
    ' UWS/3.22.2.9999 UCBS/3.22.2.9999 NebulaSDK/1.8.100112 Nebula AlipayDefined(nt:WIFI,ws:411|0|2.625) AliApp(AP/10.2.90.8000) AlipayClient/10.2.90.8000 Language/zh-Hans useStatusBar/true',
  ],
  [
    'Weibo',
    ' Weibo (iPhone15,2__weibo__14.5.1__iphone__os17.5)',
    ' Weibo (Xiaomi-2201116SG__weibo__14.5.1__android__android13)',
  ],
  [
    'QQ',
    ' QQ/9.0.56.614 V1_IPH_SQ_9.0.56_1_APP_A Pixel/1170 SimpleUISwitch/0 StudyMode/0 NetType/WIFI Mem/88',
    ' V1_AND_SQ_9.0.56_6372_YYB_D QQ/9.0.56.16830 NetType/WIFI WebP/0.3.0 AppId/537220279 Pixel/1080 StatusBarHeight/96',
  ],
  [
    'Toutiao',
    ' NewsArticle/9.8.5 JsSdk/2.0 NetType/WIFI Channel/App Store',
    ' JsSdk/2 NewsArticle/9.8.5 NetType/wifi',
  ],
  ['SmartNews', ' SmartNews 24.5.20', ' SmartNews/24.5.20'],
  [
    'DingTalk',
    ' AliApp(DingTalk/7.5.20) com.laiwang.DingTalk/30888181 Channel/201200 language/zh-Hans-CN UT4Aplus/0.0.6 WK',
    ' AliApp(DingTalk/7.5.20) com.alibaba.android.rimet/30888181 Channel/10003359 language/zh-CN',
  ],
  [
    'Lark',
    ' Lark/7.18.5 LarkLocale/en_US',
    ' Lark/7.18.5 ChannelName/lark TTWebView/1121131043603 Feishu/7.18.5',
  ],
  ['Zhihu', ' ZhihuHybrid com.zhihu.ios/Futureve/9.38.0', ' ZhihuHybrid com.zhihu.android/Futureve/9.38.0'],
  [
    'Bilibili',
    ' BiliApp/78700100 mobi_app/iphone channel/AppStore',
    ' BiliApp/7870500 mobi_app/android channel/bili',
  ],
  ['Kwai', ' Kwai/11.5.10.10064', ' Kwai_Pro/9.10.30 NetType/WIFI'],
  [
    'Taobao',
    ' AliApp(TB/10.37.10) WindVane/8.7.2',
    ' AliApp(TB/10.37.10) UCBS/2.11.1.1 TTID/600000@taobao_android_10.37.10 WindVane/8.5.0',
  ],
  ['Lazada', ' AliApp(LA/7.58.0) WindVane/8.7.2', ' AliApp(LA/7.58.100) UCBS/2.11.1.1 WindVane/8.5.0'],
  [
    'Zalo',
    ' Zalo iOS/565 ZaloTheme/light ZaloLanguage/vi',
    ' Zalo android/24080561 ZaloTheme/light ZaloLanguage/vi',
  ],
  ['VK', ' com.vk.vkclient/1654', ' VKAndroidApp/8.92-23094'],
  [
    'Yahoo Japan',
    ' YJApp-IOS jp.co.yahoo.ipn.appli/4.121.0',
    ' YJApp-ANDROID jp.co.yahoo.android.yjtop/3.190.0',
  ],
  ['Quora', ' Quora 8.4.72 rv:3286 env:prod (iPhone15,2; iOS 17.5; en_US)', ' Quora 3.2.27 (Android 14)'],
  ['Tumblr', ' Tumblr/36.0.0.100', ' Tumblr/36.1.0.110'],
  ['Substack', ' Substack/1.60.0', ' Substack/1.24.0'],
  ['MetaMask', ' WebView MetaMaskMobile', ' WebView MetaMaskMobile'],
  ['Phantom', ' Phantom/ios/24.3.0.16061', ' Phantom/android/24.4.0.15916'],
  ['Feedly', ' Feedly/89.0.3', null],
  ['Outlook', ' OutlookMobile-iOS/4.2430.0', ' Outlook-Android/4.2430.0'],
  ['Discord', ' Discord/242.0', ' Discord/242.12'],
  ['Slack', ' Slack_SSB/24.09.10', ' Slack/24.09.20'],
  ['Teams', ' TeamsMobile-iOS/6.16.1', ' TeamsMobile-Android/1416/1.0.0.2024163302'],
];

const onDesktop: readonly (readonly [app: string, part: string])[] = [
  ['Slack', ' Slack/4.38.125 Chrome/124.0.0.0 Electron/30.0.0 Safari/537.36 Sonic Slack_SSB/4.38.125'],
  ['Discord', ' discord/1.0.9147 Chrome/120.0.6099.291 Electron/28.2.10 Safari/537.36'],
  ['Teams', ' Teams/1.5.00.32283 Chrome/85.0.4183.121 Electron/10.4.7 Safari/537.36'],
  ['Mattermost', ' Mattermost/5.5.0 Chrome/114.0.5735.289 Electron/25.8.1 Safari/537.36'],
  ['Rocket.Chat', ' Rocket.Chat/3.9.14 Chrome/114.0.5735.289 Electron/25.9.8 Safari/537.36'],
  ['Signal', ' Signal/7.15.0 Chrome/126.0.6478.61 Electron/31.1.0 Safari/537.36'],
  ['Notion', ' Notion/3.9.0 Chrome/124.0.6367.243 Electron/30.1.2 Safari/537.36'],
  ['Spotify', ' Spotify/1.2.31.1205 Chrome/120.0.6099.283 Safari/537.36'],
  ['Viber', ' QtWebEngine/5.15.2 Chrome/83.0.4103.122 Safari/537.36 Viber/20.6.0.0'],
];

const partOf = (part: Part, on: AppDevice): string => (typeof part === 'string' ? part : part(on));

/** The shortened user agents that apps send from their lite views. */
const shortened: readonly AppAgent[] = [
  ...['470.0.0.39.107', '412.0.0.22.115', '388.0.0.33.105']
    .flatMap((version) => [
      {
        userAgent: `[FBAN/FB4A;FBAV/${version};FBBV/626532149;FBDM/{density=2.625,width=1080,height=2211};FBLC/en_US;FBRV/0;FBCR/Vodafone;FBMF/samsung;FBBD/samsung;FBPN/com.facebook.katana;FBDV/SM-A515F;FBSV/13;FBOP/1;FBCA/arm64-v8a:;]`,
        app: 'Facebook',
      },
      {
        userAgent: `[FBAN/Orca-Android;FBAV/${version};FBPN/com.facebook.orca;FBLC/de_DE;FBBV/626532149;FBCR/Telekom;FBMF/Xiaomi;FBBD/Redmi;FBDV/M2101K7AG;FBSV/12;FBCA/arm64-v8a:null;FBDM/{density=2.75,width=1080,height=2201};FB_FW/1;]`,
        app: 'Messenger',
      },
    ])
    .map(({ userAgent, app }) => ({ userAgent, app, os: 'Android', device: 'mobile' as const })),
];

export const appAgents: readonly AppAgent[] = [
  ...apps.flatMap(([app, onIos, onAndroid]) =>
    devices.flatMap((on) => {
      const part = on.os === 'iOS' ? onIos : onAndroid;
      return part === null
        ? []
        : [{ userAgent: on.view + partOf(part, on), app, os: on.os, device: on.device }];
    }),
  ),
  ...onDesktop.flatMap(([app, part]) =>
    desktops.map((on) => ({ userAgent: on.view + part, app, os: on.os, device: on.device })),
  ),
  ...shortened,
];
