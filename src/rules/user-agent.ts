import Bowser from 'bowser';
import { appBrowser } from './agent-class.ts';
import type { DeviceKind } from './click-fields.ts';
import { deviceOf } from './visitor-kind.ts';

/** What a user agent says of its owner's means. Names come from closed lists, so that clients can't add new ones. */
export interface Agent {
  readonly device: DeviceKind;
  readonly os: string;
  /** '' where the user agent doesn't say. */
  readonly osVersion: string;
  readonly browser: string;
  /** The major one, or ''. */
  readonly browserVersion: string;
}

const unknown = 'Unknown';
const nobody: Agent = { device: 'other', os: unknown, osVersion: '', browser: unknown, browserVersion: '' };

const browsers: ReadonlySet<string> = new Set(Object.values(Bowser.BROWSER_MAP));
const systems: ReadonlySet<string> = new Set(Object.values(Bowser.OS_MAP));

/** Takes about 10 µs: remember the answer. */
export function readAgent(userAgent: string): Agent {
  if (userAgent === '') return nobody;
  const parser = Bowser.getParser(userAgent, true);
  const { name = '', version, versionName } = parser.getOS();
  // An iPad that asks for desktop pages calls itself a Macintosh.
  const isPad = name === 'macOS' && deviceOf(userAgent, null) === 'ios';
  const app = appBrowser(userAgent);
  const browser = parser.getBrowser();
  return {
    device: isPad ? 'tablet' : deviceKind(userAgent, parser.getPlatformType(true)),
    os: isPad ? 'iOS' : listed(name, systems),
    osVersion: isPad ? '' : plainVersion(name === 'Windows' ? versionName : version),
    browser: app ?? listed(browser.name ?? '', browsers),
    browserVersion: app === null ? (plainVersion(browser.version).split('.', 1)[0] ?? '') : '',
  };
}

const listed = (name: string, names: ReadonlySet<string>): string => (names.has(name) ? name : unknown);

const plainVersion = (version: string | undefined): string =>
  version !== undefined && /^[\w.]{1,20}$/.test(version) ? version : '';

const television =
  /smart-?tv|\btv\b|bravia|\bAFT\w+|crkey|roku|netcast|web0s|hbbtv|appletv|googletv|shield android|playstation|xbox|nintendo/i;

function deviceKind(userAgent: string, platform: string): DeviceKind {
  if (television.test(userAgent)) return 'tv';
  switch (platform) {
    case 'desktop':
    case 'mobile':
    case 'tablet':
    case 'tv':
      return platform;
    case 'bot':
      return 'other';
    default:
      // Chrome OS and the BSDs, which Bowser doesn't place.
      return userAgent.includes('X11;') ? 'desktop' : 'other';
  }
}

/** The language asked for first, without its region: `pt-BR,pt;q=0.9` is `pt`. '' when none is named. */
export function firstLanguage(acceptLanguage: string): string {
  return /^\s*([a-z]{2,3})(?=[-_,;\s]|$)/i.exec(acceptLanguage)?.[1]?.toLowerCase() ?? '';
}

const maxHostCharacters = 253;

/**
 * The host that a Referer names, in lower case and without its port; '' when it names none. An app's own referrer
 * (`android-app://com.google.android.gm/`) gives the app's name.
 */
export function referrerHost(referer: string): string {
  if (referer === '') return '';
  const url = URL.parse(referer);
  if (url === null || !/^(?:https?|android-app|ios-app):$/.test(url.protocol)) return '';
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  return host.length <= maxHostCharacters && /^[a-z0-9_.:[\]-]+$/.test(host) ? host : '';
}

/** How a referrer is counted: `www.example.com` and `example.com` are one. */
export const withoutWww = (host: string): string => (host.startsWith('www.') ? host.slice(4) : host);
