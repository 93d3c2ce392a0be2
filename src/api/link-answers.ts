import type { z } from 'zod';
import type { Context } from '../manage/context.ts';
import type { Outcome, PreparedLink } from '../manage/links/prepared-link.ts';
import { mapInSlices } from '../manage/time-slice.ts';
import { statusOf } from '../rules/error-codes.ts';
import { Refusal } from '../rules/errors.ts';
import { errorBody } from './errors.ts';
import { Json } from './json.ts';
import { drawCode, linkAnswer } from './link-answer.ts';
import type { LinkResults } from './schemas/link-bulk.ts';

type Result = z.input<typeof LinkResults>['results'][number];

/** The answer to a call that creates many links, serialised as far as possible while the store is working. */
export class LinkAnswers {
  readonly #context: Context;
  readonly #codes = new Map<PreparedLink, string>();
  readonly #serialised = new Map<Outcome, Json<Result>>();
  #work: Promise<void> = Promise.resolve();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Draws the QR codes once the links are prepared: the store, which waits for the same links, comes first. */
  draw(links: Promise<readonly (PreparedLink | Refusal)[]>): void {
    this.#enqueue(links, (link) => {
      if (link instanceof Refusal) return;
      this.#codes.set(link, drawCode(this.#context.site.readableUrl(link.host, link.suffix), link.row));
    });
  }

  /** Serialises links that are already stored, for the case that the others are stored too. */
  write(placed: ReadonlyMap<PreparedLink, Outcome>): void {
    this.#enqueue(placed, ([link, outcome]) => {
      const code = hasChanged(link, outcome) ? undefined : this.#codes.get(link);
      this.#serialised.set(outcome, this.#resultOf(outcome, code));
    });
  }

  async all(outcomes: readonly Outcome[]): Promise<Json<z.input<typeof LinkResults>>> {
    await this.#work;
    return Json.object({
      results: Json.list(outcomes.map((outcome) => this.#serialised.get(outcome) ?? this.#resultOf(outcome))),
    });
  }

  #resultOf(outcome: Outcome, code?: string): Json<Result> {
    return Json.of(
      outcome instanceof Refusal
        ? { status: statusOf[outcome.code], error: errorBody(outcome) }
        : { status: outcome.isFound ? 200 : 201, link: linkAnswer(outcome, this.#context, code) },
    );
  }

  /** Handles the items one by one, so that other work needn't wait for all of them. */
  #enqueue<Item>(items: Iterable<Item> | Promise<Iterable<Item>>, handle: (item: Item) => void): void {
    this.#work = this.#work.then(async () => {
      await mapInSlices(await items, handle);
    });
    // `all` reports the rejection.
    this.#work.catch(() => {});
  }
}

/** Whether its code differs from the prepared one: its suffix was taken, and it got another. */
const hasChanged = ({ suffix, row }: PreparedLink, outcome: Outcome): boolean =>
  outcome instanceof Refusal || outcome.link.suffix !== suffix || outcome.link.qr_marker !== row.qr_marker;
