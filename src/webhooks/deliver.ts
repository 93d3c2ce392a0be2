import type { AllowList } from '../rules/webhook-allow.ts';
import type { Database } from '../storage/database.ts';
import { noteFailure, noteSuccess } from '../storage/webhooks/webhook-outages.ts';
import {
  claimDue,
  DueQueues,
  hooksOfLinks,
  type NewAttempt,
  recordAttempt,
  releaseClaim,
  type StoredDelivery,
  type Verdict,
} from '../storage/webhooks/webhook-queue.ts';
import { clearZapierHook } from '../storage/webhooks/webhook-zapier.ts';
import { waitAtMost } from '../structures/with-timeout.ts';
import { type AfterAttempt, afterAttempt } from './back-off.ts';
import { zapierClick } from './click-outbox.ts';
import { type Attempt, guardedRequest, type RequestOptions } from './guarded-request.ts';
import type { OutgoingMessage, Webhooks } from './outbox.ts';
import { signatureHeaders } from './sign.ts';
import { type SlotLimits, Slots } from './slots.ts';

export interface DelivererParts {
  readonly database: Database;
  readonly now: () => number;
  readonly allowed: AllowList;
  /** Opens a sealed signing key; null if it was sealed with another key. */
  readonly openKey: (sealed: string) => string | null;
  readonly onFault: (cause: unknown) => void;
  readonly limits?: SlotLimits;
  /** Milliseconds between two polls of the outbox, for deliveries without a wake-up. */
  readonly pollInterval?: number;
  readonly random?: () => number;
  readonly postOptions?: RequestOptions;
}

const usualLimits: SlotLimits = { overall: 128, perOrganization: 64, perHost: 24, perTarget: 8 };
/** Longer than any call takes, with a margin for clocks that differ: after that, a node is assumed to have crashed. */
const lease = 45_000;
/** Milliseconds that a stop waits for calls under way. */
const grace = 1_000;
/** Characters of an answer. */
const excerptLength = 1000;
const waitsToRecord = [500, 1_000, 2_000, 4_000];

/** Posts the due deliveries of the outbox. Any number of nodes may do so at the same time. */
export class Deliverer implements Webhooks {
  readonly allowed: AllowList;
  readonly #parts: DelivererParts;
  readonly #slots: Slots;
  readonly #dueQueues = new DueQueues();
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #mustPollAgain = false;
  #isStarted = false;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    this.allowed = parts.allowed;
    this.#slots = new Slots(parts.limits ?? usualLimits);
  }

  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  wake(): void {
    if (!this.#isStarted) return;
    this.#mustPollAgain = true;
    this.#running ??= this.#run();
  }

  /** Requests in flight get a moment to finish; the others are released, and sent by the next node that starts. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    await this.#running;
    const all = Promise.all(this.#underWay);
    await waitAtMost(grace, all);
    this.#stopping.abort();
    await all;
  }

  async tryOnce(message: OutgoingMessage): Promise<NewAttempt> {
    const at = this.#parts.now();
    return attemptRow(await this.#post(message), at);
  }

  /** One poll at a time; a wake-up during it causes another one right after. */
  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      while (this.#mustPollAgain && this.#isStarted) {
        this.#mustPollAgain = false;
        for (const delivery of await this.#claim()) this.#begin(delivery);
      }
    } catch (cause) {
      this.#parts.onFault(cause);
    }
    this.#running = undefined;
    if (this.#isStarted) this.#timer = setTimeout(() => this.wake(), this.#parts.pollInterval ?? 500);
  }

  async #claim(): Promise<StoredDelivery[]> {
    const { database, now } = this.#parts;
    if (this.#slots.free === 0) return [];
    const instant = now();
    const queues = await this.#dueQueues.find(database.read, instant);
    const shares = this.#slots.shares(shuffled(queues));
    if (shares.length === 0) return [];
    const times = { now: instant, until: instant + lease };
    return database.write(async (queries) => {
      const claimed: StoredDelivery[] = [];
      for (const { queue, max } of shares)
        claimed.push(...(await claimDue(queries, queue, { max, ...times })));
      return claimed;
    });
  }

  #begin(delivery: StoredDelivery): void {
    this.#slots.take(delivery);
    const done = this.#deliver(delivery)
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#slots.release(delivery);
        this.#underWay.delete(done);
        this.wake();
      });
    this.#underWay.add(done);
  }

  async #deliver(delivery: StoredDelivery): Promise<void> {
    const { now, random = Math.random, database } = this.#parts;
    const at = now();
    const message = await this.#currentMessage(delivery);
    const outcome = message === null ? outdated : await this.#post(message);
    if (outcome.kind === 'failed' && this.#stopping.signal.aborted) {
      await database.write((queries) => releaseClaim(queries, delivery, now()));
      return;
    }
    const tries = { made: delivery.tries + 1, firstAt: delivery.first_tried_at ?? at, now: now() };
    await this.#record(delivery, attemptRow(outcome, at), afterAttempt(outcome, tries, random()));
  }

  /**
   * A delivery with the key that its link has now: receivers that have replaced theirs would refuse the old one. Null if it waits
   * for a target that was removed from the link: it isn't sent.
   */
  async #currentMessage(delivery: StoredDelivery): Promise<OutgoingMessage | null> {
    const { link_id, event, target_url } = delivery;
    const [hooks] = await hooksOfLinks(this.#parts.database.lookup, [link_id]);
    if (!hooks) return delivery;
    if (event === zapierClick) return target_url === hooks.zapier_hook_url ? delivery : null;
    return target_url === hooks.webhook_url ? { ...delivery, signing_key: hooks.webhook_auth_key } : null;
  }

  /**
   * The request was sent: writing the result is retried while the store is down, because otherwise the target would get it twice.
   */
  async #record(delivery: StoredDelivery, attempt: NewAttempt, after: AfterAttempt): Promise<void> {
    for (const wait of [...waitsToRecord, null]) {
      try {
        await this.#parts.database.write(async (queries) => {
          const isOurs = await recordAttempt(queries, delivery, attempt, verdictOf(after));
          if (isOurs && after.kind === 'delivered') await noteSuccess(queries, delivery);
          else if (isOurs && attempt.problem !== outdated.sentence)
            await noteFailure(queries, delivery, attempt.at);
          const hasEnded = after.kind === 'failed' && after.why === 'gone';
          // A hook that answers 410 Gone has ended its subscription.
          if (isOurs && hasEnded && delivery.event === zapierClick)
            await clearZapierHook(queries, delivery.link_id, { zapier_hook_url: delivery.target_url });
        });
        return;
      } catch (cause) {
        if (wait === null || this.#stopping.signal.aborted) throw cause;
        await Bun.sleep(wait);
      }
    }
  }

  async #post(message: OutgoingMessage): Promise<Attempt> {
    const { now, allowed, postOptions = {}, openKey } = this.#parts;
    const key = message.signing_key ? openKey(message.signing_key) : null;
    if (message.signing_key && key === null) {
      return { kind: 'refused', sentence: 'The signing key can not be opened. Set webhook_auth_key anew.' };
    }
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Linnet-Webhooks/1',
      ...signatureHeaders({ id: message.message_id, body: message.body }, key, now()),
    };
    const outgoing = { headers, body: message.body, signal: this.#stopping.signal };
    return post(message.target_url, outgoing, allowed, { now, ...postOptions });
  }
}

/** Posts to a target, if the guard allows it. Never rejects. */
export const post = (
  target: string,
  outgoing: Pick<Parameters<typeof guardedRequest>[1], 'headers' | 'body' | 'signal'>,
  allowed: AllowList,
  options?: RequestOptions,
): Promise<Attempt> =>
  guardedRequest(target, { ...outgoing, method: 'POST', kept: excerptLength }, allowed, options);

const outdated = {
  kind: 'refused',
  sentence: 'The link has another webhook by now, or none. Redeliver this to send it to the one it has.',
} as const;

const attemptRow = (outcome: Attempt, at: number): NewAttempt => ({
  at,
  duration: outcome.kind === 'refused' ? 0 : outcome.duration,
  status: outcome.kind === 'answered' ? outcome.status : null,
  excerpt: outcome.kind === 'answered' ? outcome.excerpt : null,
  problem: outcome.kind === 'answered' ? null : outcome.sentence,
});

function verdictOf(after: AfterAttempt): Verdict {
  if (after.kind === 'again') return { state: 'waiting', next_try_at: after.at };
  return { state: after.kind, next_try_at: null };
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, order: Math.random() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item);
}
