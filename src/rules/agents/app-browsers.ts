import type { AgentPattern } from './agent-software.ts';

/**
 * The app whose built-in browser this is, or null. It is used by a person, although some of these names also appear in the user
 * agents of the same company's preview fetchers: those must be ruled out before.
 */
export function appBrowser(userAgent: string): string | null {
  if (bareFacebook.test(userAgent)) return facebookApp(userAgent);
  if (!userAgent.includes('AppleWebKit/')) return null;
  return apps.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? null;
}

/** Facebook's apps send only their own part if the page is opened by their lighter views. */
const bareFacebook = /^(?:LightSpeed )?\[FB(?:AN|_IAB)\/[\w-]+;/;

const facebookApp = (userAgent: string): string =>
  /\[FB\w+\/(?:Messenger|Orca|MESSENGER|mLite)/.test(userAgent) ? 'Messenger' : 'Facebook';

/** The first match is the name: Messenger and Instagram contain Facebook's marks too. */
const apps: readonly AgentPattern[] = [
  ['Instagram', /\bInstagram \d/],
  ['Threads', /\bBarcelona \d/],
  ['Messenger', /FBAN\/Messenger|FB_IAB\/(?:Orca|MESSENGER)/],
  ['Facebook', /\bFB(?:AN|AV|_IAB)\b/],
  ['Facebook', /\bMetaIAB Facebook\b/],
  ['TikTok', /musical_ly|\btrill_|BytedanceWebview|\bTikTok[ /]\d/],
  ['Snapchat', /\bSnapchat\/\d|Snapchat\d+\.\d/],
  ['Pinterest', /\[Pinterest\/\w+\]/],
  ['LinkedIn', /\bLinkedInApp\b/],
  ['X', /\bTwitter for |\bTwitterAndroid\b/],
  ['Reddit', /\bReddit\/(?:Version|\d)/],
  ['WhatsApp', /\bWhatsApp\/\d/],
  ['Telegram', /\bTelegram(?:-Android)?\/\d/],
  ['Viber', /\bViber(?:\/\d|$)/],
  ['LINE', /\bLine\/\d/],
  ['WeChat', /\bMicroMessenger\//],
  ['KakaoStory', /\bKAKAOSTORY\b/i],
  ['KakaoTalk', /\bKAKAOTALK[ /]\d/i],
  ['Slack', /\bSlack(?:_SSB)?\/\d/],
  ['Teams', /\bTeams(?:\/\d|Mobile-)/],
  ['Discord', /\bdiscord\/\d/i],
  ['Mattermost', /\bMattermost(?:Mobile)?\/\d/],
  ['Rocket.Chat', /\bRocket\.Chat(?: Desktop)?\/\d/],
  ['Zulip', /\bZulip(?:Electron|Mobile)?\/\d/],
  ['Signal', /\bSignal(?:-Desktop)?\/\d/],
  ['Flipboard', /\bFlipboard(?:-Briefing)?\/\d/],
  ['Outlook', /\bOutlook-(?:iOS|Android)\/|\bOutlookMobile\b/],
  ['Google News', /\bGNews (?:Android|iOS)\//],
  ['Google app', /\bGSA\/\d|\bGoogleApp\/\d/],
  ['Bing app', /\bBing(?:Web|Sapphire)\/\d/],
  ['Baidu app', /\bbaiduboxapp\//],
  ['Daum', /\bDaumApps\/\d/],
  ['NAVER', /\bNAVER\(inapp/],
  ['Alipay', /\bAlipayClient\//],
  ['Weibo', /\bWeibo\b|__weibo__/],
  ['QQ', /\bQQ\/\d/],
  ['Toutiao', /\b(?:JsSdk\/\d.* )?NewsArticle\/\d|\bToutiao\b/],
  ['SmartNews', /\bSmartNews\b/],
  ['DingTalk', /\bDingTalk\/\d/],
  ['Lark', /\b(?:Lark|Feishu)\/\d/],
  ['Xiaohongshu', /\bdiscover\/\d.*xhs|\bxiaohongshu\b/i],
  ['Douban', /com\.douban\.|\bdouban\b/],
  ['Zhihu', /\bZhihuHybrid\b|\bosee2unifiedRelease\b/],
  ['Bilibili', /\bBiliApp\/\d|\bbili-universal\b/],
  ['Kwai', /\bKwai(?:_Pro)?\/\d|\bKuaishou\/\d/i],
  ['Taobao', /\bAliApp\(TB\//],
  ['Shopee', /\bShopee\b/i],
  ['Lazada', /\bAliApp\(LA\//],
  ['Zalo', /\bZalo (?:iOS|android)\/\d/i],
  ['VK', /\bVKAndroidApp\/\d|\bcom\.vk\.vkclient\b/i],
  ['Odnoklassniki', /\bOKApp\/\d|\bOK\.ru\b|;OKAndroid/i],
  ['Yahoo Japan', /\bYJApp-(?:IOS|ANDROID)\b|jp\.co\.yahoo\./],
  ['Quora', /\bQuora \d/],
  ['Tumblr', /\bTumblr\/\d/],
  ['Nextdoor', /\bNextdoor\b/],
  ['Substack', /\bSubstack\/\d/],
  ['Feedly', /\bFeedly\/\d/],
  ['Pocket', /\bPocket\/\d/],
  ['Spotify', /\bSpotify\/\d/],
  ['MetaMask', /\bMetaMaskMobile\b/],
  ['Phantom', /\bPhantom\/(?:ios|android)\//],
  ['Coinbase Wallet', /\bCoinbase(?:Wallet|Retail)\b/],
  ['Trust Wallet', /\bTrust(?: ?Wallet)?\/\d/],
  ['PayPal', /\bPayPal(?:Mobile)?\/\d/],
  ['ChatGPT', /\bChatGPT\/\d/],
  ['Notion', /\bNotion\/\d/],
  ['GroupMe', /\bGroupMe\/\d/],
  ['Skype', /\bSkype\/\d/],
  ['Grab', /\bGrab\/\d/],
  ['Yandex app', /\bYandexSearchApp\b/],
];

/** All possible names. */
export const appNames: readonly string[] = [...new Set(apps.map(([name]) => name))];
