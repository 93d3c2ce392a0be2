import type { DeviceKind } from '../click-fields.ts';
import { browserOf } from './agent-browser.ts';
import { deviceKind } from './agent-device.ts';
import { systemOf } from './agent-system.ts';
import { appBrowser } from './app-browsers.ts';

/**
 * What a user agent tells about the visitor's device and software. Names come from closed lists, so that clients can't add new
 * ones.
 */
export interface Agent {
  readonly device: DeviceKind;
  readonly os: string;
  /** '' if the user agent doesn't say. */
  readonly osVersion: string;
  readonly browser: string;
  /** The major version, or ''. */
  readonly browserVersion: string;
}

/** Takes some microseconds: cache the result. */
export function readAgent(userAgent: string): Agent {
  const { name: os, version: osVersion } = systemOf(userAgent);
  const app = appBrowser(userAgent);
  const browser = app === null ? browserOf(userAgent) : { name: app, version: '' };
  return {
    device: deviceKind(userAgent),
    os,
    osVersion,
    browser: browser.name,
    browserVersion: browser.version,
  };
}

/** The preferred language, without its region: `pt-BR,pt;q=0.9` is `pt`. '' if none is named. */
export function firstLanguage(acceptLanguage: string): string {
  return /^\s*([a-z]{2,3})(?=[-_,;\s]|$)/i.exec(acceptLanguage)?.[1]?.toLowerCase() ?? '';
}

/** The same with its region and script, in lower case: `pt-br`. */
export const firstLanguageTag = (acceptLanguage: string): string =>
  /^\s*([a-z]{2,3}(?:[-_][a-z0-9]{1,8}){0,4})(?=[,;\s]|$)/i
    .exec(acceptLanguage)?.[1]
    ?.toLowerCase()
    .replaceAll('_', '-') ?? firstLanguage(acceptLanguage);

const maxHostCharacters = 253;

/**
 * The host in a Referer, in lower case and without its port; '' if there is none. An app's own referrer
 * (`android-app://com.google.android.gm/`) gives the app's name.
 */
export function referrerHost(referer: string): string {
  if (referer === '') return '';
  const url = URL.parse(referer);
  if (url === null || !/^(?:https?|android-app|ios-app):$/.test(url.protocol)) return '';
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  return host.length <= maxHostCharacters && /^[a-z0-9_.:[\]-]+$/.test(host) ? host : '';
}
