import { version } from '../../../package.json' with { type: 'json' };
import {
  type CheckOutcome,
  initialCheck,
  outcomeOf,
  stateAfterCheck,
} from '../../rules/destinations/destination-check.ts';
import { isParkedPage } from '../../rules/destinations/parked-page.ts';
import { isAllowedByRobots, robotsFor } from '../../rules/destinations/robots-txt.ts';
import { dayLength, hourLength, minuteLength, secondLength } from '../../rules/durations.ts';
import {
  claimHost,
  findRobots,
  hostsDue,
  lastAnswerOfOtherHosts,
  releaseHost,
  setHostDue,
  storeRobots,
} from '../../storage/destinations/watched-hosts.ts';
import { isWatchedUrl } from '../../storage/destinations/watched-links.ts';
import { updateUrl, urlDue, type WatchedUrl } from '../../storage/destinations/watched-urls.ts';
import { settleAll } from '../../storage/settle-all.ts';
import { type Attempt, guardedRequest, type RequestOptions } from '../../webhooks/guarded-request.ts';
import type { Context } from '../context.ts';

const pause = 10 * secondLength;
/** Longer than any request takes: after that, a node is assumed to have crashed. */
const claimLength = minuteLength;
const hostsAtOnce = 64;
/** While no other host answers, this service's own connection may be down: for this long nothing is reported as broken. */
const outageGrace = 6 * hourLength;

const robotsCharacters = 512 * 1024;
const pageCharacters = 32 * 1024;
const agent = 'Linnet-Watch';

/** A request, its time, and its result. */
interface RequestResult {
  readonly at: number;
  readonly isAnswered: boolean;
  /** The destination's next state; null if robots.txt was requested. */
  readonly state: WatchedUrl | null;
}

/** Checks due destinations: one request per host in ten seconds, over all nodes and organizations. */
export class DestinationWatch {
  readonly #context: Context;
  readonly #options: RequestOptions;
  readonly #stopping = new AbortController();

  constructor(context: Context, options: RequestOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Aborts the requests under way, which are made again later. */
  stop(): void {
    this.#stopping.abort();
  }

  async run(): Promise<void> {
    const { database, now } = this.#context;
    const hosts = await hostsDue(database.read, now(), hostsAtOnce);
    await settleAll(...hosts.map((host) => this.#check(host)));
  }

  async #check(host: string): Promise<void> {
    const { database, now } = this.#context;
    const claimedAt = now();
    const isOurs = await database.write((queries) =>
      claimHost(queries, host, claimedAt, claimedAt + claimLength),
    );
    if (!isOurs) return;
    const due = await urlDue(database.read, host, now());
    const isWatched = due !== null && (await isWatchedUrl(database.read, due.id));
    const result = due && isWatched ? await this.#requestPage(due) : null;
    if (this.#stopping.signal.aborted && result) return;
    // An address that no link leads to is not requested, and is deleted by the next sweep.
    const state = due && !isWatched ? { ...due, next_at: now() + dayLength } : (result?.state ?? null);
    await database.write(async (queries) => {
      if (state) await updateUrl(queries, state);
      if (state && state.host !== host) await setHostDue(queries, state.host, state.next_at);
      const freeAt = result ? result.at + pause : claimedAt;
      await releaseHost(queries, host, { freeAt, answeredAt: result?.isAnswered ? result.at : null });
    });
  }

  async #requestPage(due: WatchedUrl): Promise<RequestResult> {
    const { database, now } = this.#context;
    const { origin, pathname, search } = new URL(due.hop);
    const robots = await findRobots(database.read, origin);
    if (!robots || robots.read_at <= now() - dayLength)
      return this.#requestRobots(due, origin, robots?.rules);
    const at = now();
    if (!isAllowedByRobots(robots.rules ?? '', `${pathname}${search}`))
      return { at: at - pause, isAnswered: false, state: stateAfterCheck(due, { kind: 'unclear' }, at) };
    const attempt = await this.#get(due.hop, pageCharacters);
    return this.#resultOf(due, attempt, pageOutcome(due, attempt), at);
  }

  /** If a site's robots.txt can't be fetched, its pages can't either. */
  async #requestRobots(
    due: WatchedUrl,
    origin: string,
    previousRules: string | null | undefined,
  ): Promise<RequestResult> {
    const { database, now } = this.#context;
    const at = now();
    const attempt = await this.#get(`${origin}/robots.txt`, robotsCharacters);
    if (attempt.kind === 'failed' && attempt.fault !== 'protocol')
      return this.#resultOf(due, attempt, failure(attempt), at);
    const rules = robotsIn(attempt, previousRules);
    if (rules === undefined) return this.#resultOf(due, attempt, { kind: 'unclear' }, at);
    await database.write((queries) => storeRobots(queries, { origin, rules, read_at: at }));
    return { at, isAnswered: attempt.kind === 'answered', state: null };
  }

  async #resultOf(
    due: WatchedUrl,
    attempt: Attempt,
    outcome: CheckOutcome,
    at: number,
  ): Promise<RequestResult> {
    const { database, now } = this.#context;
    const isAnswered = attempt.kind === 'answered';
    const mayBeOwnOutage =
      attempt.kind === 'failed' && attempt.fault === 'connection' && due.suspected === 'broken';
    if (mayBeOwnOutage && due.suspected_at !== null && now() - due.suspected_at < outageGrace) {
      const lastAnswerAt = await lastAnswerOfOtherHosts(database.read, due.host);
      if (lastAnswerAt !== null && lastAnswerAt < due.suspected_at) {
        const restarted = { ...due, ...initialCheck(due.url), turn: 0, next_at: now() + hourLength };
        return { at, isAnswered, state: restarted };
      }
    }
    return { at, isAnswered, state: stateAfterCheck(due, outcome, now()) };
  }

  #get(url: string, kept: number): Promise<Attempt> {
    const { webhooks, site } = this.#context;
    const headers = { 'user-agent': `${agent}/${version} (+${site.origin})`, accept: '*/*' };
    const outgoing = { method: 'GET', headers, body: null, kept, signal: this.#stopping.signal } as const;
    return guardedRequest(url, outgoing, webhooks.allowed, this.#options);
  }
}

function pageOutcome({ url, hop }: WatchedUrl, attempt: Attempt): CheckOutcome {
  if (attempt.kind === 'failed') return failure(attempt);
  if (attempt.kind === 'refused') return { kind: 'unclear' };
  const isParked = () => isParkedPage(attempt.excerpt, new URL(hop).hostname, new URL(url).hostname);
  return outcomeOf(attempt, hop, isParked);
}

function failure({ fault, sentence }: Extract<Attempt, { kind: 'failed' }>): CheckOutcome {
  if (fault === 'protocol') return { kind: 'unclear' };
  return { kind: 'problem', problem: fault === 'certificate' ? 'certificate' : 'broken', detail: sentence };
}

/**
 * RFC 9309: without a robots.txt everything is allowed; while a server fails, its previous robots.txt applies, and without one
 * nothing is allowed. One that redirects counts as none: pages of that host redirect too, and the other host's own is requested
 * then.
 */
function robotsIn(attempt: Attempt, previousRules: string | null | undefined): string | null | undefined {
  if (attempt.kind !== 'answered') return undefined;
  const { status, excerpt } = attempt;
  if (status >= 200 && status < 300) return robotsFor(excerpt, agent);
  return status >= 500 || status === 429 ? previousRules : null;
}
