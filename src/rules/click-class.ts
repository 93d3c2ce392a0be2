import { classOfAgent } from './agents/agent-class.ts';
import type { HeaderEvidence } from './agents/header-evidence.ts';
import type { ClassReason, ClickClass } from './click-fields.ts';

export interface Classification {
  readonly class: ClickClass;
  readonly reason: ClassReason;
}

/** What distinguishes a person from a machine. */
export interface VisitorSigns {
  readonly userAgent: string;
  readonly headerEvidence: HeaderEvidence;
}

interface HitSigns extends VisitorSigns {
  readonly method: string;
  /** The value of Sec-Purpose, Purpose, X-Purpose or X-Moz, whichever is present; '' if none is. */
  readonly purpose: string;
}

const head: Classification = { class: 'head', reason: 'head_method' };
const unusualMethod: Classification = { class: 'bot', reason: 'unusual_method' };
const prefetch: Classification = { class: 'prefetch', reason: 'purpose_header' };

/** `ofAgent` is for callers that cache the result: it depends only on the user agent. */
export function classify(
  hit: HitSigns,
  ofAgent: (userAgent: string) => Classification = classOfAgent,
): Classification {
  if (hit.method === 'HEAD') return head;
  if (hit.method !== 'GET' && hit.method !== 'POST') return unusualMethod;
  if (hit.purpose !== '' && prefetchPurpose.test(hit.purpose)) return prefetch;
  return classOfVisitor(hit, ofAgent);
}

const notNavigation: Classification = { class: 'bot', reason: 'not_navigation' };
const noBrowserHeaders: Classification = { class: 'bot', reason: 'no_browser_headers' };

/**
 * Chrome and Edge since version 89, under their own names: on https they always send Sec-Fetch-*. Safari does so since 16.4, but
 * in web views, and in browsers built on them, apps may change that.
 */
const sendsFetchHeaders =
  /^Mozilla\/5\.0 \((?:Windows NT|Macintosh|X11|Linux; Android)(?![^)]*; wv\))[^)]*\) AppleWebKit\/537\.36 \(KHTML, like Gecko\) Chrome\/(?:89|9\d|[1-9]\d\d)\.[\d.]+ (?:Mobile )?Safari\/537\.36(?: EdgA?\/[\d.]+)?$/;

/**
 * Person, preview or machine: the ledger, bot protection and previews use this. Headers only count for clients that call
 * themselves a browser.
 */
export function classOfVisitor(
  { userAgent, headerEvidence }: VisitorSigns,
  ofAgent: (userAgent: string) => Classification = classOfAgent,
): Classification {
  const found = ofAgent(userAgent);
  if (headerEvidence === 'none' || found.class !== 'human') return found;
  if (headerEvidence === 'not_navigation') return notNavigation;
  return sendsFetchHeaders.test(userAgent) ? noBrowserHeaders : found;
}

/** `preview` is sent by Safari's top sites and Facebook's app when they load a page before the visitor opens it. */
const prefetchPurpose = /prefetch|prerender|preview/i;
