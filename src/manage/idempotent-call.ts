import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { dayLength } from '../rules/durations.ts';
import { invalidField, Refusal } from '../rules/errors.ts';
import type { Database, WriteItems } from '../storage/database.ts';
import {
  claimIdempotencyKey,
  findIdempotentCall,
  type IdempotencyKey,
  keepIdempotentAnswer,
} from '../storage/idempotency-keys.ts';
import type { Queries } from '../storage/schema.ts';
import type { Context } from './context.ts';
import { linkStorer } from './links/store-links.ts';

const retention = dayLength;
/** In characters, as it is stored. A thousand ordinary links take 0.4 million. */
const maxAnswer = 8 * 1024 * 1024;
/** Milliseconds. Longer than the timeout of the mail server. */
const maxWait = 10_000;
const waitStep = 50;

export const keyField = 'Idempotency-Key';

/** The JSON of an answer. */
export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** Determines the answer to a call from the result of its change; null if that isn't enough. */
type AnswerOfChange = (result: unknown) => Promise<Answered | null>;

interface SentCall {
  readonly organizationId: number;
  readonly userId: number;
  readonly key: string;
  /** Method, path, query and body. */
  readonly request: string;
}

/** Another call used the key first. */
class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

/**
 * A call that is carried out once, however often it is sent. Its first change claims the key in its own transaction, and stores
 * the answer there too: both are stored, or neither.
 */
export class IdempotentCall {
  readonly #context: Pick<Context, 'database' | 'secrets' | 'now'>;
  readonly #row: IdempotencyKey;
  readonly #requestHash: string;
  #answerOfChange: AnswerOfChange = async () => null;
  #answered: Answered | null = null;
  #isClaimed = false;

  constructor(context: Pick<Context, 'database' | 'secrets' | 'now'>, sent: SentCall) {
    const { secrets } = context;
    this.#context = context;
    this.#row = {
      // Another member's answer may contain private data of theirs.
      user_id: sent.userId,
      organization_id: sent.organizationId,
      key_hash: secrets.sign('idempotency', `key ${sent.key}`),
    };
    this.#requestHash = secrets.sign('idempotency', `request ${sent.request}`);
  }

  /** Sets the function that makes the answer from the result of the first change, while that is still under way. */
  answerWith(answerOfChange: AnswerOfChange): void {
    this.#answerOfChange = answerOfChange;
  }

  /** The stored answer to the call, or the answer that `carryOut` gives now. A refusal may be an answer, too. */
  async answer<Means extends Context>(
    context: Means,
    carryOut: (context: Means) => Promise<Answered>,
    answerOfRefusal: (refusal: Refusal) => Answered | null,
  ): Promise<Answered & { readonly isReplay: boolean }> {
    for (;;) {
      const earlier = await this.#earlier();
      if (earlier) return { ...earlier, isReplay: true };
      try {
        const answered = await carryOut(this.#claiming(context));
        if (this.#answered === null) await this.#keepLate(answered);
        return { ...(this.#answered ?? answered), isReplay: false };
      } catch (cause) {
        if (cause instanceof KeyTaken) continue;
        const answered = cause instanceof Refusal ? answerOfRefusal(cause) : null;
        if (answered) await this.#keepLate(answered);
        throw cause;
      }
    }
  }

  async #earlier(): Promise<Answered | null> {
    const { database, secrets, now } = this.#context;
    for (let waited = 0; ; waited += waitStep) {
      const found = await findIdempotentCall(database.lookup, this.#row, now());
      if (!found) return null;
      if (found.request_hash !== this.#requestHash)
        throw new Refusal(
          'IDEMPOTENCY_KEY_REUSED',
          `This ${keyField} was sent before with another call or another body. Send a new key with each thing that you make, and the same one only to send the same call again.`,
          { field: keyField },
        );
      const bytes = found.answer === null ? null : secrets.openBytes(found.answer);
      if (found.status !== null && bytes !== null)
        return { status: found.status, text: (await promisify(inflate)(bytes)).toString('utf8') };
      const age = now() - (found.expires_at - retention);
      if (found.status !== null || Math.max(age, waited) >= maxWait)
        throw new Refusal(
          'IDEMPOTENCY_ANSWER_UNKNOWN',
          `This call was carried out under this ${keyField}, and its answer is not known: the server may have stopped before it was written down. Look whether what it makes is there; to make it once more, send a new key.`,
          { field: keyField },
        );
      await Bun.sleep(waitStep);
    }
  }

  /** The same context, whose first change claims the key. */
  #claiming<Means extends Context>(context: Means): Means {
    const { database: inner } = context;
    let isFirst = true;
    const write: Database['write'] = async (work) => {
      if (!isFirst) return inner.write(work);
      isFirst = false;
      const result = await inner.write((queries) => this.#claimAndRun(queries, work));
      this.#isClaimed = true;
      return result;
    };
    const writeBatched = <Item, Outcome>(item: Item, work: WriteItems<Item, Outcome>): Promise<Outcome> =>
      write(async (queries) => {
        const [outcome] = await work(queries, [item]);
        // Nothing was stored: the claim is rolled back with the transaction.
        if (outcome instanceof Refusal) throw outcome;
        return outcome as Outcome;
      });
    const database = { ...inner, write, writeBatched };
    return { ...context, database, storeLink: linkStorer({ ...context, database }) };
  }

  async #claimAndRun<T>(queries: Queries, work: (queries: Queries) => Promise<T>): Promise<T> {
    if (!(await this.#claim(queries))) throw new KeyTaken();
    const result = await work(queries);
    this.#answered = result === null || result === undefined ? null : await this.#answerOfChange(result);
    if (this.#answered) await this.#keep(queries, this.#answered);
    return result;
  }

  #claim(queries: Queries): Promise<boolean> {
    const now = this.#context.now();
    const claim = { ...this.#row, request_hash: this.#requestHash, expires_at: now + retention };
    return claimIdempotencyKey(queries, claim, now);
  }

  async #keep(queries: Queries, { status, text }: Answered): Promise<void> {
    const answer = this.#context.secrets.sealBytes(await promisify(deflate)(text));
    if (answer.length > maxAnswer)
      throw invalidField(
        keyField,
        `The answer to this call is too long to be kept for its ${keyField}, and nothing was made. Send fewer links in one call.`,
      );
    await keepIdempotentAnswer(queries, this.#row, { status, answer });
  }

  /** For a call without a change, or whose answer needed more than its change. */
  async #keepLate(answered: Answered): Promise<void> {
    await this.#context.database.write(async (queries) => {
      if (this.#isClaimed || (await this.#claim(queries))) await this.#keep(queries, answered);
    });
  }
}
