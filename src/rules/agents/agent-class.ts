import { isbot } from 'isbot';
import type { ClassReason } from '../click-fields.ts';
import { appBrowser } from './app-browsers.ts';
import { crawler, isbotBesideEngine, machines, previewApps, previewCrawlers } from './machine-agents.ts';

interface AgentClass {
  readonly class: 'human' | 'preview' | 'bot';
  readonly reason: ClassReason;
}

/** In characters: the rest of a user agent is ignored. */
export const maxAgentLength = 512;

/**
 * Classifies a user agent as a person, a preview fetcher or a machine, for all purposes: bot protection, previews and the ledger
 * use this. Takes some microseconds: cache the result.
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

/** Apps have all sorts of names, and append them to their phone's web view: there only an address identifies a machine. */
function looksLikeBot(userAgent: string, hasEngine: boolean): boolean {
  if (!hasEngine) return isbot(userAgent);
  return webView.test(userAgent)
    ? /https?:|@[a-z][\w-]*\./i.test(userAgent)
    : isbotBesideEngine(userAgent) && !botTab.test(userAgent);
}

/** A tablet by Logicom, which contains "bot" like machines do. */
const botTab = /; M bot tab /i;

const webView = /; wv\)|\((?:iPhone|iPad|iPod)[^)]*\) AppleWebKit\/\S+ \([^)]*\) Mobile\/\w+(?! Safari)/;

/** The engine of a browser, anywhere: some apps put their own name in front of it, or leave out the rest. */
const engine = /applewebkit\/|gecko\/\d|trident\/|presto\/|khtml\/|\bmsie \d|goanna\//i;

/** In televisions' user agents these words are followed by model names, in which isbot finds words of its own. */
const isTelevision = (userAgent: string): boolean =>
  userAgent.includes('HbbTV/') || userAgent.includes('CE-HTML/') || userAgent.includes('; Viera)');

/** Nearly every browser begins with Mozilla. */
const browserStart = /^(?:mozilla\/\d\.\d+ [([]|(?:opera|e?links|lynx|w3m|dillo)\b)/i;

/** Old browsers and phones, which name no engine. isbot takes some of them for machines. */
const oldBrowsers =
  /^(?:(?:nokia|blackberry|samsung|sonyericsson|mot-|lge?-|sie-|docomo\/|m4a1-|zte-|huawei|alcatel|sagem)[\w-]+\/|ucweb\/|untrusted\/|e?links |lynx\/\d|amiga-?aweb\/|amigavoyager\/|voyager\d|ibrowse\/|ncsa_mosaic\/|onebrowser\/|opera\/\d|uzbl )|\bup\.(?:browser|link)\/|konqueror\/\d|\(compatible; ibrowse|amiga-aweb|netpositive\/|^mozilla\/\d\.\d+ \((?:nintendo|qsp; roku|playstation|s60v5)/i;

/** Browsers that call themselves compatible. Anything else that does so and names an engine is a machine imitating a browser. */
const compatibleBrowsers =
  /\(compatible; ?(?:u; ?)?(?:msie \d|konqueror|ibrowse|abrowse|origyn|webpositive|netpositive|linux mips)/i;
