import type { z } from 'zod';
import type { Context } from '../manage/context.ts';
import type { LinkWithTags, PreparedLink } from '../manage/prepared-link.ts';
import { TimeSlice } from '../manage/time-slice.ts';
import { statusOf } from '../rules/error-codes.ts';
import { Refusal } from '../rules/errors.ts';
import { errorBody } from './errors.ts';
import { Json } from './json.ts';
import { drawCode, linkAnswer } from './link-answer.ts';
import type { LinkResults } from './schemas/link-bulk.ts';

type Outcome = LinkWithTags | Refusal;
type Result = z.input<typeof LinkResults>['results'][number];

/** The answer to a call that makes many links, serialised as far as possible while the store is at work. */
export class LinkAnswers {
  readonly #context: Context;
  readonly #codes = new Map<PreparedLink, string>();
  readonly #written = new Map<Outcome, Json<Result>>();
  #work: Promise<void> = Promise.resolve();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Waits until they are prepared: the store, which waits for them too, comes first. */
  draw(links: Promise<readonly (PreparedLink | Refusal)[]>): void {
    this.#next(links, (link) => {
      if (link instanceof Refusal) return;
      this.#codes.set(link, drawCode(this.#context.site.readableUrl(link.host, link.suffix), link.row));
    });
  }

  /** Serialises the links that were stored, as long as the rest succeeds. */
  write(placed: ReadonlyMap<PreparedLink, Outcome>): void {
    this.#next(placed, ([link, outcome]) => {
      const code = hasChanged(link, outcome) ? undefined : this.#codes.get(link);
      this.#written.set(outcome, this.#resultOf(outcome, code));
    });
  }

  async all(made: readonly Outcome[]): Promise<Json<z.input<typeof LinkResults>>> {
    await this.#work;
    return Json.object({
      results: Json.list(made.map((outcome) => this.#written.get(outcome) ?? this.#resultOf(outcome))),
    });
  }

  #resultOf(outcome: Outcome, code?: string): Json<Result> {
    return Json.of(
      outcome instanceof Refusal
        ? { status: statusOf[outcome.code], error: errorBody(outcome) }
        : { status: outcome.isFound ? 200 : 201, link: linkAnswer(outcome, this.#context, code) },
    );
  }

  /** One by one, so that other work needn't wait for all of them. */
  #next<Thing>(things: Iterable<Thing> | Promise<Iterable<Thing>>, deal: (thing: Thing) => void): void {
    this.#work = this.#work.then(async () => {
      const timeSlice = new TimeSlice();
      for (const thing of await things) {
        if (timeSlice.isOver) await timeSlice.pause();
        deal(thing);
      }
    });
    // `all` reports the rejection.
    this.#work.catch(() => {});
  }
}

/** Whether its code differs from the prepared one: its suffix was taken, and it got another. */
const hasChanged = ({ suffix, row }: PreparedLink, outcome: Outcome): boolean =>
  outcome instanceof Refusal || outcome.link.suffix !== suffix || outcome.link.qr_marker !== row.qr_marker;
