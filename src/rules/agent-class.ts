import { isbot } from 'isbot';
import { appBrowser } from './app-browsers.ts';
import type { ClassReason } from './click-fields.ts';
import { crawler, isbotBesideEngine, machines, previewApps, previewCrawlers } from './machine-agents.ts';

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
  if (previewCrawlers.test(userAgent) || previewApps.test(userAgent))
    return { class: 'preview', reason: 'preview_agent' };
  for (const [reason, pattern] of machines) {
    if (pattern.test(userAgent)) return { class: 'bot', reason };
  }
  if (crawler.test(userAgent)) return { class: 'bot', reason: 'known_crawler' };
  if (isTelevision(userAgent)) return { class: 'human', reason: 'browser' };
  const hasEngine = engine.test(userAgent);
  if (hasEngine && /\bcompatible;/i.test(userAgent) && !compatibleBrowsers.test(userAgent))
    return { class: 'bot', reason: 'bot_pattern' };
  if (appBrowser(userAgent) !== null) return { class: 'human', reason: 'app_browser' };
  if (!hasEngine && oldBrowsers.test(userAgent)) return { class: 'human', reason: 'browser' };
  if (looksLikeBot(userAgent, hasEngine)) return { class: 'bot', reason: 'bot_pattern' };
  return hasEngine || browserStart.test(userAgent)
    ? { class: 'human', reason: 'browser' }
    : { class: 'bot', reason: 'unlike_browser' };
}

/** Apps have all sorts of names, and write them behind their phone's web view: there only an address gives a machine away. */
function looksLikeBot(userAgent: string, hasEngine: boolean): boolean {
  if (!hasEngine) return isbot(userAgent);
  return webView.test(userAgent)
    ? /https?:|@[a-z][\w-]*\./i.test(userAgent)
    : isbotBesideEngine(userAgent) && !botTab.test(userAgent);
}

/** A tablet of Logicom's, which says bot as machines do. */
const botTab = /; M bot tab /i;

const webView = /; wv\)|\((?:iPhone|iPad|iPod)[^)]*\) AppleWebKit\/\S+ \([^)]*\) Mobile\/\w+(?! Safari)/;

/** The engine of a browser, wherever it stands: some apps write their own name in front of it, or leave out the rest. */
const engine = /applewebkit\/|gecko\/\d|trident\/|presto\/|khtml\/|\bmsie \d|goanna\//i;

/** Behind these words of televisions stand the makers' names for their models, in which isbot finds words of its own. */
const isTelevision = (userAgent: string): boolean =>
  userAgent.includes('HbbTV/') || userAgent.includes('CE-HTML/') || userAgent.includes('; Viera)');

/** Nearly every browser says Mozilla. */
const browserStart = /^(?:mozilla\/\d\.\d+ [([]|(?:opera|e?links|lynx|w3m|dillo)\b)/i;

/** Browsers and phones of before, which have no engine that they name. isbot takes some of them for machines. */
const oldBrowsers =
  /^(?:(?:nokia|blackberry|samsung|sonyericsson|mot-|lge?-|sie-|docomo\/|m4a1-|zte-|huawei|alcatel|sagem)[\w-]+\/|ucweb\/|untrusted\/|e?links |lynx\/\d|amiga-?aweb\/|amigavoyager\/|voyager\d|ibrowse\/|ncsa_mosaic\/|onebrowser\/|opera\/\d|uzbl )|\bup\.(?:browser|link)\/|konqueror\/\d|\(compatible; ibrowse|amiga-aweb|netpositive\/|^mozilla\/\d\.\d+ \((?:nintendo|qsp; roku|playstation|s60v5)/i;

/** Browsers that call themselves compatible. Whatever else does so beside an engine is a machine that wants a browser's page. */
const compatibleBrowsers =
  /\(compatible; ?(?:u; ?)?(?:msie \d|konqueror|ibrowse|abrowse|origyn|webpositive|netpositive|linux mips)/i;
