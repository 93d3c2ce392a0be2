import { classOfAgent } from './agent-class.ts';
import type { ClassReason, ClickClass } from './click-fields.ts';

export interface Classification {
  readonly class: ClickClass;
  readonly reason: ClassReason;
}

interface HitSigns {
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

/** Milliseconds. */
export const repeatWindow = 10_000;

/** A double tap or a reload. An instant that lies a little back (a clock was set) is as near as one ahead. */
export const isRepeat = (lastSeen: number | undefined, now: number): boolean =>
  lastSeen !== undefined && Math.abs(now - lastSeen) < repeatWindow;
