import { rmSync } from 'node:fs';
import { StoreAway } from '../rules/errors.ts';
import type { DeliveriesOf, FoldBatch, FoldStore, Watermark } from '../storage/fold-store.ts';
import { type EnrichedHit, type EnrichParts, enrich, type RawHit } from './enrich.ts';
import { type BatchBuilder, isClick } from './fold-batch.ts';
import { type Position, segmentFile, segmentsIn } from './journal-files.ts';
import { JournalReader } from './journal-reader.ts';
import { type DailySalts, dayOf } from './visitor-hash.ts';
import type { WordPlaces } from './word-places.ts';

/** A click as webhooks are told of it. The address is shown to nobody else, and goes with the journal. */
export type FoldedClick = EnrichedHit & { readonly address: string; readonly userAgent: string };

export interface FoldParts {
  readonly store: FoldStore;
  readonly enrich: EnrichParts;
  readonly salts: DailySalts;
  readonly words: WordPlaces;
  readonly builder: BatchBuilder;
  /** `place` names this stretch of this journal, the same at every try. */
  readonly deliveriesOf: (clicks: () => readonly FoldedClick[], place: string) => DeliveriesOf;
  readonly onTorn: (segment: number, bytes: number) => void;
  readonly onAway: (cause: unknown) => void;
}

/** Hits of one transaction: many enough to share its cost, few enough that the API's own changes don't wait long. */
const mostHits = 32_768;
const firstRetry = 100;
const longestRetry = 5_000;

/** One journal, read in order and added to storage: each hit once, whatever ends this process and whenever. */
export class JournalFold {
  readonly #parts: FoldParts;
  readonly #name: string;
  readonly #folder: string;
  readonly #reader: JournalReader;
  #watermark: Watermark | null;
  #done: Position;
  #isStopped = false;
  #isInDoubt = false;
  #wake: () => void = () => {};

  private constructor(parts: FoldParts, name: string, folder: string, watermark: Watermark | null) {
    this.#parts = parts;
    this.#name = name;
    this.#folder = folder;
    this.#watermark = watermark;
    this.#done = watermark ?? { segment: 1, offset: 0 };
    this.#reader = new JournalReader(folder, this.#done, parts.onTorn);
  }

  static async open(parts: FoldParts, name: string, folder: string): Promise<JournalFold> {
    return new JournalFold(parts, name, folder, await parts.store.watermark(name));
  }

  /** Everything before this place is in storage. */
  get position(): Position {
    return this.#done;
  }

  get hasFolded(): boolean {
    return this.#watermark !== null;
  }

  /** Folds what comes before `end`, or all that is there. Waits for a store that is away; `stop` ends the waiting. */
  async foldTo(end: Position | null, onFolded: () => void): Promise<void> {
    while (!this.#isStopped) {
      const { hits, to } = this.#reader.read(mostHits, end);
      if (hits.length > 0) {
        await this.#fold(hits, to);
        if (this.#isStopped && !isAt(this.#watermark, to)) return;
      }
      this.#done = this.#reader.position;
      this.#removeFolded();
      onFolded();
      if (hits.length === 0) return;
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  close(): void {
    this.#reader.close();
  }

  async #fold(hits: readonly RawHit[], to: Watermark): Promise<void> {
    const { builder, salts, store, words, deliveriesOf } = this.#parts;
    for (const day of daysOf(hits)) await this.#persist(() => salts.prepare(day));
    builder.begin();
    const enriched = hits.map((hit) => enrich(hit, this.#parts.enrich));
    for (const hit of enriched) builder.add(hit);
    await this.#persist(() => words.settle((missing) => store.wordIds(missing)));
    if (this.#isStopped) return;
    const from = this.#watermark;
    const batch = builder.batch(this.#name, from, to);
    const place = `${this.#name}/${from?.segment ?? 0}/${from?.offset ?? 0}`;
    await this.#persist(() =>
      this.#commit(
        batch,
        deliveriesOf(() => clicksOf(hits, enriched), place),
      ),
    );
  }

  /** A commit whose answer was lost may have happened: the watermark knows. */
  async #commit(batch: FoldBatch, deliveries: DeliveriesOf): Promise<void> {
    const { store } = this.#parts;
    const isDone = this.#isInDoubt && isAt(await store.watermark(this.#name), batch.to);
    this.#isInDoubt = true;
    if (!isDone) await store.fold(batch, deliveries);
    this.#isInDoubt = false;
    this.#watermark = batch.to;
  }

  async #persist(work: () => Promise<void>): Promise<void> {
    for (let wait = firstRetry; !this.#isStopped; wait = Math.min(wait * 2, longestRetry)) {
      try {
        return await work();
      } catch (cause) {
        if (!(cause instanceof StoreAway)) throw cause;
        this.#parts.onAway(cause);
        await this.#pause(wait * (0.5 + Math.random() / 2));
      }
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #removeFolded(): void {
    const { segment } = this.#reader.position;
    for (const number of segmentsIn(this.#folder)) {
      if (number < segment) rmSync(segmentFile(this.#folder, number), { force: true });
    }
  }
}

const isAt = (one: Watermark | null, other: Watermark): boolean =>
  one !== null && one.segment === other.segment && one.offset === other.offset;

function daysOf(hits: readonly RawHit[]): Set<number> {
  const days = new Set<number>();
  for (const { at } of hits) days.add(dayOf(at));
  return days;
}

const clicksOf = (hits: readonly RawHit[], enriched: readonly EnrichedHit[]): FoldedClick[] =>
  enriched.flatMap((hit, index) => {
    const { address = '', userAgent = '' } = hits[index] ?? {};
    return isClick(hit) ? [{ ...hit, address, userAgent }] : [];
  });
