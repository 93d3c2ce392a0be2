import type { z } from 'zod';
import type { Context } from '../manage/context.ts';
import type { Outcome, PreparedLink } from '../manage/links/prepared-link.ts';
import { mapInSlices } from '../manage/time-slice.ts';
import { statusOf } from '../rules/error-codes.ts';
import { Refusal } from '../rules/errors.ts';
import { errorBody } from './errors.ts';
import { Json } from './json.ts';
import { linkAnswer } from './link-answer.ts';
import type { LinkResults } from './schemas/link-bulk.ts';

type Result = z.input<typeof LinkResults>['results'][number];

/** The answer to a call that creates many links, serialised as far as possible while the store is working. */
export class LinkAnswers {
  readonly #context: Context;
  readonly #serialised = new Map<Outcome, Json<Result>>();
  #work: Promise<void> = Promise.resolve();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Serialises links that are already stored, for the case that the others are stored too. */
  write(placed: ReadonlyMap<PreparedLink, Outcome>): void {
    this.#work = this.#work.then(async () => {
      await mapInSlices(placed.values(), (outcome) => this.#serialised.set(outcome, this.#resultOf(outcome)));
    });
    // `all` reports the rejection.
    this.#work.catch(() => {});
  }

  async all(outcomes: readonly Outcome[]): Promise<Json<z.input<typeof LinkResults>>> {
    await this.#work;
    return Json.object({
      results: Json.list(outcomes.map((outcome) => this.#serialised.get(outcome) ?? this.#resultOf(outcome))),
    });
  }

  #resultOf(outcome: Outcome): Json<Result> {
    return Json.of(
      outcome instanceof Refusal
        ? { status: statusOf[outcome.code], error: errorBody(outcome) }
        : { status: outcome.isFound ? 200 : 201, link: linkAnswer(outcome, this.#context) },
    );
  }
}
