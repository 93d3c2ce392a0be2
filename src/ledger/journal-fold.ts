import { rmSync } from 'node:fs';
import { type Damage, DamageNotes } from '../journal/damage.ts';
import { type Position, segmentFile, segmentsIn } from '../journal/files.ts';
import { isPassing } from '../journal/passing-fault.ts';
import { JournalReader, type ReaderParts } from '../journal/reader.ts';
import type { RecordBytes } from '../journal/record.ts';
import { StoreAway } from '../rules/errors.ts';
import type { BatchBuilder } from './batch-builder.ts';
import type { FoldedClick } from './click.ts';
import { type EnrichParts, enrich } from './enrich.ts';
import type { DeliveriesOf, FoldBatch, FoldStore, Watermark } from './fold-store.ts';
import type { HitBatch } from './hit-batch.ts';
import { HitCursor } from './hit-cursor.ts';
import { RecentVisits } from './recent-visits.ts';
import type { DailySalts } from './visitor-hash.ts';
import type { WordIds } from './word-ids.ts';

export type ClicksOf = (links: ReadonlyMap<number, unknown>) => readonly FoldedClick[];

interface FoldParts {
  readonly store: FoldStore;
  readonly enrich: EnrichParts;
  readonly salts: DailySalts;
  readonly words: WordIds;
  readonly hits: HitBatch;
  readonly builder: BatchBuilder;
  /** `clicks` are those of the given links; `batch` names this part of this journal. */
  readonly deliveriesOf: (clicks: ClicksOf, batch: string) => DeliveriesOf;
  readonly onTorn: (segment: number, bytes: number) => void;
  /** The segment ends before the position up to which it was folded, or should have been. */
  readonly onTruncated: (segment: number, bytes: number) => void;
  /** Called for each segment in which a batch found damage. */
  readonly onDamage: (damage: Damage) => void;
  readonly onAway: (cause: unknown) => void;
}

/** They leave up to 50 MB of garbage; next to nothing where all are of few visitors. */
const hitsToClearUp = 100_000;
const bytesToClearUp = 24_000_000;
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
  #sinceClearing = 0;
  /** What was in use when it was cleared up last. */
  #inUse = 0;
  readonly #readyDays = new Set<number>();
  readonly #recentVisits = new RecentVisits();
  readonly #damage = new DamageNotes();
  #wake: () => void = () => {};

  private constructor(parts: FoldParts, name: string, folder: string, watermark: Watermark | null) {
    this.#parts = parts;
    this.#name = name;
    this.#folder = folder;
    this.#watermark = watermark;
    this.#done = watermark ?? { segment: 1, offset: 0 };
    this.#reader = new JournalReader(folder, this.#done, this.#readerParts());
  }

  static async open(parts: FoldParts, name: string, folder: string): Promise<JournalFold> {
    return new JournalFold(parts, name, folder, await parts.store.watermark(name));
  }

  /** Everything before this position is in storage. */
  get position(): Position {
    return this.#done;
  }

  get hasFolded(): boolean {
    return this.#watermark !== null;
  }

  /**
   * Folds what comes before `end` (null: all that is there) in one transaction, about `maxHits` of it. False when
   * there was nothing, or `stop` has ended the waiting for a store that is away. Throws StoreAway where the journal can't
   * be read now: then nothing has happened, and the same call may be made again.
   */
  async foldBatch(end: Position | null, maxHits: number): Promise<boolean> {
    this.#damage.clear();
    try {
      await this.#collect(end, maxHits);
    } finally {
      for (const damage of this.#damage.bySegment()) this.#parts.onDamage(damage);
    }
    const hasHits = this.#parts.hits.count > 0;
    const to = this.#reader.position;
    if (hasHits) await this.#fold(to);
    if (this.#isStopped && !(hasHits && isAt(this.#watermark, to))) return false;
    this.#done = to;
    this.#removeFolded();
    this.#clearUp(this.#parts.hits.count);
    return hasHits;
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  close(): void {
    this.#reader.close();
  }

  /** Reads a part of the journal. */
  async #collect(end: Position | null, maxHits: number): Promise<void> {
    const { hits, salts } = this.#parts;
    hits.begin();
    while (!this.#isStopped && hits.count < maxHits && !hits.isFull) {
      let record = this.#next(end);
      if (record === null) return;
      for (;;) {
        const day = hits.add(record, this.#isReady, this.#recentVisits);
        if (day === null) break;
        record = null;
        await this.#persist(() => salts.prepare(day));
        this.#readyDays.add(day);
      }
    }
  }

  /** A read that fails for now ends the batch; the hits read before it are folded. */
  #next(end: Position | null): RecordBytes | null {
    try {
      return this.#reader.next(end);
    } catch (cause) {
      if (!isPassing(cause)) throw cause;
      if (this.#parts.hits.count > 0) return null;
      throw new StoreAway((cause as Error).message, { cause });
    }
  }

  #readerParts(): ReaderParts {
    return {
      onFlaw: (flaw) => {
        if (flaw.kind === 'torn') this.#parts.onTorn(flaw.segment, flaw.bytes);
        else if (flaw.kind === 'truncated') this.#parts.onTruncated(flaw.segment, flaw.bytes);
        else this.#damage.add(flaw);
      },
    };
  }

  readonly #isReady = (day: number): boolean => this.#readyDays.has(day);

  async #fold(to: Position): Promise<void> {
    const { builder, hits, store, words, deliveriesOf } = this.#parts;
    await this.#persist(() => words.settle((missing) => store.wordIds(missing)));
    if (this.#isStopped) return;
    const from = this.#watermark;
    const batch = builder.batch(hits, words, this.#name, from, to);
    const id = `${this.#name}/${from?.segment ?? 0}/${from?.offset ?? 0}`;
    const deliveries = deliveriesOf((links) => this.#clicksOf(links, this.#done, to), id);
    await this.#persist(() => this.#commit(batch, deliveries));
  }

  /**
   * Webhooks show more than the ledger keeps, and few links have one: their clicks are read from the journal again.
   */
  #clicksOf(links: ReadonlyMap<number, unknown>, from: Position, to: Position): FoldedClick[] {
    const { hits, enrich: parts } = this.#parts;
    const reader = new JournalReader(this.#folder, from, { onFlaw: () => {} });
    const cursor = new HitCursor();
    const clicks: FoldedClick[] = [];
    try {
      for (let row = 0; row < hits.count; ) {
        const record = reader.next(to);
        if (record === null) throw new Error('the journal has changed while it was folded');
        cursor.begin(record);
        for (; cursor.next(); row++) {
          if (!hits.columns.isClick(row) || !links.has(cursor.linkId)) continue;
          const { hit } = cursor;
          const { address, userAgent } = hit;
          clicks.push({ ...enrich(hit, parts, noRepeats), index: row, address, userAgent });
        }
      }
    } catch (cause) {
      if (!isPassing(cause)) throw cause;
      throw new StoreAway((cause as Error).message, { cause });
    } finally {
      reader.close();
    }
    return clicks;
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

  /** Left alone, the garbage collector lets dead strings grow to several times the memory in use. */
  #clearUp(hits: number): void {
    this.#sinceClearing += hits;
    if (this.#sinceClearing < hitsToClearUp) return;
    this.#sinceClearing = 0;
    if (process.memoryUsage().heapUsed < this.#inUse + bytesToClearUp) return;
    Bun.gc(true);
    this.#inUse = process.memoryUsage().heapUsed;
  }

  #removeFolded(): void {
    const { segment } = this.#reader.position;
    try {
      for (const number of segmentsIn(this.#folder)) {
        if (number < segment) rmSync(segmentFile(this.#folder, number), { force: true });
      }
    } catch (cause) {
      // The next time, or with the folder.
      if (!isPassing(cause)) throw cause;
    }
  }
}

/** Which hits are repeats was decided when they were read for the first time. */
const noRepeats = { repeats: () => false };

const isAt = (one: Watermark | null, other: Watermark): boolean =>
  one !== null && one.segment === other.segment && one.offset === other.offset;
