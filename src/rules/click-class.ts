import { Instants } from './instants.ts';
import { agentKind } from './visitor-kind.ts';

/** What a hit on a link was. Only a `human` hit that was redirected is a click; the rest is kept to be looked at. */
export type ClickClass = 'human' | 'preview' | 'bot' | 'prefetch' | 'head' | 'repeat';

/** Why a hit has its class. Stored with it: a code, once used, keeps its meaning. */
export type ClassReason =
  | 'browser'
  | 'app_browser'
  | 'head_method'
  | 'unusual_method'
  | 'purpose_header'
  | 'empty_user_agent'
  | 'preview_agent'
  | 'link_scanner'
  | 'monitor'
  | 'automation'
  | 'http_library'
  | 'known_crawler'
  | 'bot_pattern'
  | 'unlike_browser'
  | 'recent_visit';

export interface Classification {
  readonly class: ClickClass;
  readonly reason: ClassReason;
}

export interface HitSigns {
  readonly method: string;
  readonly userAgent: string;
  /** The value of Sec-Purpose, Purpose, X-Purpose or X-Moz, whichever is there; '' when none is. */
  readonly purpose: string;
}

const head: Classification = { class: 'head', reason: 'head_method' };
const unusualMethod: Classification = { class: 'bot', reason: 'unusual_method' };
const prefetch: Classification = { class: 'prefetch', reason: 'purpose_header' };

/** `ofAgent` is there for callers that remember the answer: it depends on the user agent alone. */
export function classify(
  hit: HitSigns,
  ofAgent: (userAgent: string) => Classification = classOfAgent,
): Classification {
  if (hit.method === 'HEAD') return head;
  if (hit.method !== 'GET' && hit.method !== 'POST') return unusualMethod;
  if (hit.purpose !== '' && fetchedAhead.test(hit.purpose)) return prefetch;
  return ofAgent(hit.userAgent);
}

/** `preview` is what Safari's top sites and Facebook's app say when they load a page before anybody asked for it. */
const fetchedAhead = /prefetch|prerender|preview/i;

export function classOfAgent(userAgent: string): Classification {
  if (userAgent.trim() === '') return { class: 'bot', reason: 'empty_user_agent' };
  if (appBrowser(userAgent) !== null) return { class: 'human', reason: 'app_browser' };
  const kind = agentKind(userAgent);
  if (kind === 'preview') return { class: 'preview', reason: 'preview_agent' };
  for (const [reason, pattern] of machines) {
    if (pattern.test(userAgent)) return { class: 'bot', reason };
  }
  if (kind === 'bot')
    return { class: 'bot', reason: crawler.test(userAgent) ? 'known_crawler' : 'bot_pattern' };
  return browserStart.test(userAgent)
    ? { class: 'human', reason: 'browser' }
    : { class: 'bot', reason: 'unlike_browser' };
}

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

const repeatWindow = 10_000;

/** A double tap or a reload. An instant that lies a little back (a clock was set) is as near as one ahead. */
export const isRepeat = (lastSeen: number | undefined, now: number): boolean =>
  lastSeen !== undefined && Math.abs(now - lastSeen) < repeatWindow;

/**
 * The clicks of the last seconds, to tell repeats. It knows no clock: the same hits in the same order give the same
 * answers. Two generations bound it, each one window long or `most` clicks large; past `most` clicks in a window a
 * repeat may pass as a click.
 */
export class RecentVisits {
  #young = new Instants();
  #old = new Instants();
  #youngSince = Number.NEGATIVE_INFINITY;
  readonly #most: number;

  constructor(most = 100_000) {
    this.#most = most;
  }

  /**
   * Whether this click repeats one on the same link; if not, it is noted. A repeat doesn't prolong the window: many
   * people behind one address with the same phone count at least once a window.
   */
  repeats(linkId: number, visitor: number, at: number): boolean {
    // Visitor hashes are evenly spread, so two visitors never come within a link id of each other in practice.
    const key = visitor + linkId;
    if (isRepeat(this.#young.get(key) ?? this.#old.get(key), at)) return true;
    if (Math.abs(at - this.#youngSince) >= repeatWindow || this.#young.size >= this.#most) {
      const forgotten = this.#old;
      this.#old = this.#young;
      this.#young = forgotten;
      forgotten.clear();
      this.#youngSince = at;
    }
    this.#young.set(key, at);
    return false;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
