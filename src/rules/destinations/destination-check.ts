import { dayLength, hourLength } from '../durations.ts';
import { hasLongHost } from '../host.ts';
import type { ProblemKind } from './watched-destinations.ts';

const maxHops = 5;

/** The result of a request to an address. */
export type CheckOutcome =
  | { readonly kind: 'well' }
  | { readonly kind: 'problem'; readonly problem: ProblemKind; readonly detail: string }
  | { readonly kind: 'redirect'; readonly to: string; readonly isPermanent: boolean }
  /** It doesn't show what visitors get, for example where programs are refused. */
  | { readonly kind: 'unclear' };

/** The progress of checking a destination, and its findings. */
export interface CheckState {
  readonly url: string;
  /** The next address to request: the destination's, or where that redirected to. */
  readonly hop: string;
  readonly host: string;
  readonly hops: number;
  /** The end of a chain of permanent redirects so far. */
  readonly moved_to: string | null;
  /** 0: before other addresses of its host, because it is in progress or has to be confirmed. */
  readonly turn: number;
  readonly next_at: number;
  readonly problem: string | null;
  readonly detail: string | null;
  readonly since: number | null;
  /** A problem that was found once, and has to be confirmed. */
  readonly suspected: string | null;
  readonly suspected_at: number | null;
  /** Since when the state has not been copied to the links; null if it has. */
  readonly untold: number | null;
}

/** Interprets an answer. `isParked` is only called for a page. */
export function outcomeOf(
  { status, location }: { readonly status: number; readonly location: string | null },
  at: string,
  isParked: () => boolean,
): CheckOutcome {
  if (status >= 200 && status < 300)
    return isParked() ? { kind: 'problem', problem: 'parked', detail: parkedDetail } : { kind: 'well' };
  if (redirects.includes(status)) {
    const to = location === null || hasLongHost(location) ? null : URL.parse(location, at);
    if (to === null) return broken(`It answered ${status} without an address to go on to.`);
    to.hash = '';
    const isWeb = to.protocol === 'http:' || to.protocol === 'https:';
    // Phones open an app's own address.
    if (!isWeb || to.href.length > 2048) return { kind: 'unclear' };
    return { kind: 'redirect', to: to.href, isPermanent: status === 301 || status === 308 };
  }
  return status === 404 || status === 410 || status >= 500
    ? broken(`It answered ${status}.`)
    : { kind: 'unclear' };
}

const redirects = [301, 302, 303, 307, 308];
const parkedDetail = 'Its domain shows the page of a company that parks or sells domains.';
const broken = (detail: string): CheckOutcome => ({ kind: 'problem', problem: 'broken', detail });

/** The state after a check. A problem is reported when it was found twice, an hour apart; its end at once. */
export function stateAfterCheck<State extends CheckState>(
  state: State,
  outcome: CheckOutcome,
  now: number,
): State {
  if (outcome.kind === 'redirect' && state.hops < maxHops) return redirected(state, outcome, now);
  const moved = state.moved_to !== null && hasMoved(state.url, state.moved_to) ? state.moved_to : null;
  const found = finalOf(outcome, moved);
  const rest = { ...state, ...initialCheck(state.url), turn: 1, next_at: now + dayLength };
  if (found.kind === 'well') {
    const isOver = state.problem !== null;
    return {
      ...rest,
      ...nothingSuspected,
      ...(isOver && { problem: null, detail: null, since: null, untold: now }),
    };
  }
  if (found.kind !== 'problem') return { ...rest, ...nothingSuspected };
  const { problem, detail } = found;
  if (state.problem === problem) {
    const hasMovedOn = problem === 'moved' && state.detail !== detail;
    return { ...rest, ...nothingSuspected, ...(hasMovedOn && { detail, untold: now }) };
  }
  const since = state.suspected === problem ? state.suspected_at : null;
  if (since === null || now - since < hourLength)
    return {
      ...rest,
      turn: 0,
      next_at: (since ?? now) + hourLength,
      suspected: problem,
      suspected_at: since ?? now,
    };
  return { ...rest, ...nothingSuspected, problem, detail, since, untold: now };
}

const nothingSuspected = { suspected: null, suspected_at: null };

/** The state at the start of a check. */
export const initialCheck = (url: string) => ({
  hop: url,
  host: new URL(url).hostname,
  hops: 0,
  moved_to: null,
});

function redirected<State extends CheckState>(
  state: State,
  { to, isPermanent }: Extract<CheckOutcome, { kind: 'redirect' }>,
  now: number,
): State {
  const areAllPermanent = state.hops === 0 || state.moved_to === state.hop;
  return {
    ...state,
    hop: to,
    host: new URL(to).hostname,
    hops: state.hops + 1,
    moved_to: isPermanent && areAllPermanent ? to : state.moved_to,
    turn: 0,
    next_at: now,
  };
}

function finalOf(outcome: CheckOutcome, moved: string | null): CheckOutcome {
  if (outcome.kind === 'redirect') return broken('It redirects again and again.');
  if (outcome.kind === 'problem' || moved === null) return outcome;
  return { kind: 'problem', problem: 'moved', detail: moved };
}

/** A change only to https, of a www or of a trailing slash doesn't count: it needs no action. */
function hasMoved(from: string, to: string): boolean {
  return comparableAddress(from) !== comparableAddress(to);
}

function comparableAddress(text: string): string {
  const { hostname, port, pathname, search } = new URL(text);
  return `${hostname.replace(/^www\./, '')}:${port}${pathname.replace(/\/$/, '')}${search}`.toLowerCase();
}
