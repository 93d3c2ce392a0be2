import { isbot } from 'isbot';
import type { ClassReason } from './click-fields.ts';

interface AgentClass {
  readonly class: 'human' | 'preview' | 'bot';
  readonly reason: ClassReason;
}

/** Characters: what is behind them decides nothing. */
export const maxAgentLength = 512;

/**
 * Classifies a user agent as a person, a preview fetcher or a machine, for all uses alike: bot
 * protection, previews and the ledger all ask here. Takes some microseconds: remember the answer.
 */
export function classOfAgent(given: string): AgentClass {
  const userAgent = given.slice(0, maxAgentLength);
  if (userAgent.trim() === '') return { class: 'bot', reason: 'empty_user_agent' };
  if (appBrowser(userAgent) !== null) return { class: 'human', reason: 'app_browser' };
  if (previewCrawlers.test(userAgent) || previewApps.test(userAgent))
    return { class: 'preview', reason: 'preview_agent' };
  for (const [reason, pattern] of machines) {
    if (pattern.test(userAgent)) return { class: 'bot', reason };
  }
  if (isbot(userAgent))
    return { class: 'bot', reason: crawler.test(userAgent) ? 'known_crawler' : 'bot_pattern' };
  return browserStart.test(userAgent)
    ? { class: 'human', reason: 'browser' }
    : { class: 'bot', reason: 'unlike_browser' };
}

/**
 * The agents that fetch a page to show its title, text and picture where a link was pasted, by names that only they
 * have: `[Pinterest/iOS]` and `Snapchat/12` are people, in the browser inside those apps.
 */
const previewCrawlers =
  /facebookexternalhit|facebot|meta-externalfetcher|twitterbot|linkedinbot|slackbot|slack-imgproxy|discordbot|telegrambot|skypeuripreview|microsoftpreview|pinterest(?:bot)?\/\d|redditbot|vkshare|snap url preview|line-poker|kakaotalk-scrap|cardyb|mastodon\/\d|synapse \(bot|summalybot|embedly|iframely|opengraph|unfurl|link ?preview|dingtalkbot-linkservice|flipboardproxy|mattermost-|zulipurlpreview|nextcloud server crawler|xing-contenttabreceiver|google-pagerenderer/i;

/** Apps that fetch the page themselves, under their bare name; behind a browser's name it is their own browser. */
const previewApps =
  /^(?:whatsapp|viber|signal-desktop|rocket\.chat|lemmy|misskey|akkoma|pleroma|friendica)\b/i;

const crawler = /bot\b|bot[/_-]|crawl|spider|slurp|archiver|mediapartners|googleother|-user\/\d/i;

/** Nearly every browser says Mozilla; the others are the text browsers and phones of before. */
const browserStart = /^(?:(?:mozilla|opera|e?links|lynx|w3m|dillo|ucweb)\b|nokia|blackberry|samsung)/i;

/**
 * Machines that say what they are for, in the order in which they are asked. Among the scanners: Gmail's, which
 * pretends to be Edge 12 and is given away by its end, and Office, which tries a link before it hands it to a browser.
 */
const machines: readonly (readonly [ClassReason, RegExp])[] = [
  [
    'link_scanner',
    /barracuda|proofpoint|mimecast|symantec|messagelabs|bluecoat|fireeye|trellix|forcepoint|websense|sophos|forti(?:guard|mail|sandbox|net)|trend ?micro|zscaler|ironport|avanan|hornetsecurity|vade ?secure|cloudmark|kaspersky lab|clamav|virustotal|urlscan|phishtank|netcraft|safedns|palo alto networks|google-?safety|safe ?browsing|safe ?links|url ?defense|scmguard|edge\/12\.246 mozilla\/5\.0$|microsoft office|ms-?office|microsoft[ -](?:exchange|cryptoapi)/i,
  ],
  [
    'monitor',
    /uptime|pingdom|statuscake|site24x7|health-?check|googlehc|kube-probe|datadog|new ?relic|checkly|updown\.io|check_http|nagios|icinga|zabbix|blackbox[ -]exporter|prometheus|catchpoint|dejaclick|synthetic|hetrixtools|freshping|gtmetrix|ptst\/|endpoint monitor|sitemonitor|monitoring/i,
  ],
  [
    'automation',
    /headless|phantomjs|puppeteer|playwright|selenium|webdriver|cypress\/|lighthouse|page ?speed|jsdom|slimerjs/i,
  ],
  [
    'http_library',
    /^(?:curl|wget|python|aiohttp|httpx|go-http-client|go-resty|okhttp|axios|node|undici|got|superagent|bun|deno|java|apache-httpclient|jakarta|reactor-netty|ruby|faraday|typhoeus|http\.rb|php|guzzle|symfony|reqwest|hyper|rest-?sharp|postmanruntime|insomnia|httpie|winhttp|dart|dio|perl|lua-resty|scrapy|ahc|http_request2|aria2)\b|libwww|powershell\/|okhttp\/|cfnetwork\/|dalvik\/|apache-httpclient\//i,
  ],
];

/**
 * The app whose built-in browser this is, or null. Behind it sits a person, though some of these names are also in the
 * user agents of the same company's preview fetchers. A browser has an engine and doesn't call itself compatible.
 */
export function appBrowser(userAgent: string): string | null {
  if (!userAgent.startsWith('Mozilla/5.0 (') || !userAgent.includes('AppleWebKit/')) return null;
  if (fetcher.test(userAgent)) return null;
  return apps.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? null;
}

/** Cubot makes phones. */
const fetcher = /compatible;|(?<!cu)bot\b|crawl|spider|externalhit|headless|lighthouse/i;

/** The first that fits is the name: Messenger and Instagram carry Facebook's marks too. */
const apps: readonly (readonly [string, RegExp])[] = [
  ['Instagram', /\bInstagram \d/],
  ['Threads', /\bBarcelona \d/],
  ['Messenger', /FBAN\/Messenger|FB_IAB\/(?:Orca|MESSENGER)/],
  ['Facebook', /\bFB(?:AN|AV|_IAB)\b/],
  ['TikTok', /musical_ly|\btrill_|BytedanceWebview|\bTikTok[ /]\d/],
  ['Snapchat', /\bSnapchat\/\d/],
  ['Pinterest', /\[Pinterest\/\w+\]/],
  ['LinkedIn', /\bLinkedInApp\b/],
  ['X', /\bTwitter for |\bTwitterAndroid\b/],
  ['Reddit', /\bReddit\/(?:Version|\d)/],
  ['WhatsApp', /\bWhatsApp\/\d/],
  ['Telegram', /\bTelegram(?:-Android)?\/\d/],
  ['Viber', /\bViber(?:\/\d|$)/],
  ['LINE', /\bLine\/\d/],
  ['WeChat', /\bMicroMessenger\//],
  ['KakaoTalk', /\bKAKAOTALK[ /]\d/i],
  ['Slack', /\bSlack(?:_SSB)?\/\d/],
  ['Teams', /\bTeams(?:Mobile-\w+)?\/\d/],
  ['Discord', /\bdiscord\/\d/i],
  ['Mattermost', /\bMattermost(?:Mobile)?\/\d/],
  ['Rocket.Chat', /\bRocket\.Chat(?: Desktop)?\/\d/],
  ['Zulip', /\bZulip(?:Electron|Mobile)?\/\d/],
  ['Signal', /\bSignal(?:-Desktop)?\/\d/],
  ['Flipboard', /\bFlipboard(?:-Briefing)?\/\d/],
  ['Outlook', /\bOutlook-(?:iOS|Android)\/|\bOutlookMobile\b/],
  ['Google app', /\bGSA\/\d/],
  ['Bing app', /\bBing(?:Web|Sapphire)\/\d/],
  ['Baidu app', /\bbaiduboxapp\//],
  ['NAVER', /\bNAVER\(inapp/],
  ['Alipay', /\bAlipayClient\//],
  ['Weibo', /\bWeibo\b|__weibo__/],
  ['QQ', /\bQQ\/\d/],
];
