import { type Damage, damageBySegment } from '../../journal/damage.ts';
import { folderOf, type JournalName, type Position, segmentsIn, watermarkKey } from '../../journal/files.ts';
import { FoldedSegments, type Retention } from '../../journal/folded-segments.ts';
import type { RawHit } from '../../journal/hit.ts';
import { type Flaw, JournalReader } from '../../journal/reader.ts';
import type { RecordBytes } from '../../journal/record.ts';
import { StoreUnavailable } from '../../rules/errors.ts';
import { isTransient } from '../../rules/transient-error.ts';
import { wordsOf } from '../batch-words.ts';
import type { FoldedClick } from '../click.ts';
import { type DeliveriesOf, type FoldBatch, type Hits, StoreChanged } from '../fold-store.ts';
import { ClickClaims } from './click-claims.ts';
import { enrich } from './enrich.ts';
import type { FoldMemory } from './fold-memory.ts';
import type { FoldLimits } from './fold-messages.ts';
import type { ClicksOf, FoldParts } from './fold-worker-parts.ts';
import { HitCursor } from './hit-cursor.ts';
import { pause } from './pause.ts';
import type { ServerClock, TimeBound } from './server-clock.ts';
import type { WordMark } from './word-ids.ts';

export interface JournalFoldParts extends Omit<FoldParts, 'hosts'> {
  readonly settings: FoldLimits;
  readonly memory: FoldMemory;
  readonly clock: ServerClock;
  /** The machine's time. */
  readonly now: () => number;
  /** Whether no other journal has hits to fold. */
  readonly isAlone: () => boolean;
  readonly warn: (event: string, facts: Record<string, unknown>) => void;
  /** Called for each segment in which a batch found damage. */
  readonly onDamage: (damage: Damage) => void;
  /** Called while hits have to wait, with the reason. */
  readonly onUnavailable: (cause: unknown) => void;
  /** How long folded segments are kept; null: no segment is removed. */
  readonly keep: Retention | null;
}

/** This many hits leave up to 50 MB of garbage, or very little if they have few visitors. */
const hitsPerCollection = 100_000;
const garbagePerCollection = 24_000_000;
const firstRetry = 100;
const maxRetry = 5_000;

/** One journal, read in order and added to storage: each hit exactly once, however and whenever this process ends. */
export class JournalFold {
  readonly #parts: JournalFoldParts;
  readonly #key: string;
  readonly #folder: string;
  #reader: JournalReader;
  readonly #folded: FoldedSegments | null;
  #watermark: Position | null;
  #done: Position;
  readonly #stopping = new AbortController();
  #isInDoubt = false;
  /** Words up to this mark are in storage or in `#unproven`. */
  #wordMark: WordMark | null = null;
  /** Words by id that no commit of this journal has found in storage yet. Each batch uses only some of the known words. */
  readonly #unproven = new Map<number, string>();
  #hasFoldedNow = false;
  #sinceCollection = 0;
  /** Bytes in use after the last collection. */
  #inUse = 0;
  #claims: ClickClaims;
  #damage: Flaw[] = [];
  /** Of this batch. */
  #bound: TimeBound;

  private constructor(parts: JournalFoldParts, key: string, folder: string, watermark: Position | null) {
    this.#parts = parts;
    this.#key = key;
    this.#folder = folder;
    this.#claims = this.#newClaims();
    this.#bound = parts.clock.bound;
    this.#watermark = watermark;
    this.#done = watermark ?? { segment: 1, offset: 0 };
    this.#folded = parts.keep && new FoldedSegments(folder, parts.keep, this.#done.segment);
    this.#reader = new JournalReader(folder, this.#done, this.#noteFlaw);
  }

  static async open(parts: JournalFoldParts, name: JournalName, dataDir: string): Promise<JournalFold> {
    const key = watermarkKey(name);
    return new JournalFold(parts, key, folderOf(dataDir, name), await parts.store.watermark(key));
  }

  /** Everything before this position is in storage. */
  get position(): Position {
    return this.#done;
  }

  /** The watermark in storage; null if it has nothing of this journal. */
  get watermark(): Position | null {
    return this.#watermark;
  }

  /** Segments that were removed, and that storage doesn't have: it may have gone back further than they are kept. */
  get missingSegments(): { readonly from: number; readonly to: number } | null {
    const from = (this.#watermark?.segment ?? 0) + 1;
    const [first] = segmentsIn(this.#folder);
    return first === undefined || first <= from ? null : { from, to: first - 1 };
  }

  trim(): void {
    this.#folded?.trim();
  }

  /** The journal is folded to its end and won't grow. Returns whether segments of it are kept. */
  finish(): boolean {
    this.#folded?.finish(this.#hasFoldedNow);
    return this.#folded !== null && !this.#folded.isEmpty;
  }

  /**
   * Folds about `maxHits` hits before `end` (null: the end of the journal) in one transaction. Returns false if there were none,
   * or if `stop` was called while the store was unavailable. Throws StoreUnavailable if the journal can't be read now: nothing
   * was changed then, and the call may be repeated.
   */
  async foldBatch(end: Position | null, maxHits: number): Promise<boolean> {
    const hasHits = await this.#foldNext(end, maxHits).catch((cause) => {
      this.#goBack();
      throw cause;
    });
    const to = this.#reader.position;
    if (this.#isStopped && !(hasHits && isAt(this.#watermark, to))) return false;
    this.#done = to;
    this.#folded?.passed(to.segment);
    this.#collectGarbage(this.#parts.memory.hits.length);
    return hasHits;
  }

  /** These hits have been read and claimed, and are not in storage: the next batch begins with them. */
  #goBack(): void {
    this.#reader.close();
    this.#reader = new JournalReader(this.#folder, this.#done, this.#noteFlaw);
    // Otherwise they would be repeats of themselves.
    this.#claims = this.#newClaims();
  }

  #newClaims(): ClickClaims {
    return new ClickClaims(this.#parts.settings, this.#key, this.#parts.isAlone);
  }

  /** Returns whether there were hits. */
  async #foldNext(end: Position | null, maxHits: number): Promise<boolean> {
    this.#damage = [];
    try {
      await this.#collect(end, maxHits);
    } finally {
      for (const damage of damageBySegment(this.#damage)) this.#parts.onDamage(damage);
    }
    const hasHits = this.#parts.memory.hits.length > 0;
    if (hasHits) await this.#fold(this.#reader.position);
    return hasHits;
  }

  stop(): void {
    this.#stopping.abort();
  }

  close(): void {
    this.#reader.close();
  }

  /** Reads a part of the journal. */
  async #collect(end: Position | null, maxHits: number): Promise<void> {
    const { clock, memory, salts } = this.#parts;
    const { hits } = memory;
    this.#bound = clock.bound;
    hits.begin(this.#bound);
    // Of this batch only: a salt may have been destroyed since the last one.
    const readyDays = new Set<number>();
    const isReady = (day: number) => readyDays.has(day);
    while (!this.#isStopped && hits.length < maxHits && !hits.isFull) {
      let record = this.#next(end);
      if (record === null) return;
      for (;;) {
        const day = hits.add(record, isReady);
        if (day === null) break;
        record = null;
        await this.#withRetries(() => salts.prepare(day, this.#stopping.signal));
        readyDays.add(day);
      }
    }
  }

  /** A temporary read failure ends the batch; the hits read before it are folded. */
  #next(end: Position | null): RecordBytes | null {
    try {
      return this.#reader.next(end);
    } catch (cause) {
      if (!isTransient(cause)) throw cause;
      if (this.#parts.memory.hits.length > 0) return null;
      throw new StoreUnavailable((cause as Error).message, { cause });
    }
  }

  readonly #noteFlaw = (flaw: Flaw): void => {
    const { kind, segment, bytes } = flaw;
    if (kind === 'damaged') this.#damage.push(flaw);
    else {
      const event = kind === 'torn' ? 'journal cut off' : 'journal truncated';
      this.#parts.warn(event, { journal: this.#key, segment, bytes });
    }
  };

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #fold(to: Position): Promise<void> {
    const { clock, deliveriesOf, memory, now, store } = this.#parts;
    const { builder, hits, words } = memory;
    await this.#withRetries(() => words.fetchIds(store));
    if (this.#isStopped) return;
    await this.#withRetries(() => this.#deleteUncounted());
    if (this.#isStopped) return;
    const from = this.#watermark;
    await this.#withRetries(() => this.#claims.claim(hits, { from, to }, clock.now, store));
    if (this.#isStopped) return;
    const built = builder.batch(hits, words, this.#key, from, to, clock.now);
    const batch = { ...built, newWords: this.#newWordsOf(built.hits) };
    const clicks: ClicksOf = (links) => this.#clicksOf(links, this.#done, to);
    // By the clock that the deliverer uses.
    const deliveries = deliveriesOf(clicks, this.#key, clock.server ?? now());
    await this.#withRetries(() => this.#commit(batch, deliveries));
  }

  /** In transactions of their own: after a restored backup there may be very many, and claims don't last that long. */
  async #deleteUncounted(): Promise<void> {
    const { clock, store, onUnavailable } = this.#parts;
    while (!this.#isStopped && (await store.deleteUncountedOf(this.#key, clock.now)))
      onUnavailable(new StoreUnavailable('hits of lost batches are being deleted first'));
  }

  /** Webhooks show more than the ledger stores, and few links have one: their clicks are read from the journal again. */
  #clicksOf(links: Parameters<ClicksOf>[0], from: Position, to: Position): FoldedClick[] {
    const { memory, enrich: parts } = this.#parts;
    const { hits } = memory;
    const reader = new JournalReader(this.#folder, from, () => {});
    const cursor = new HitCursor();
    cursor.bound(this.#bound);
    const clicks: FoldedClick[] = [];
    try {
      for (let row = 0; row < hits.count; ) {
        const record = reader.next(to);
        if (record === null) throw new Error('the journal has changed while it was folded');
        const { segment, offset } = reader.position;
        cursor.begin(record);
        for (let inRecord = 0; cursor.next(); inRecord++) {
          if (cursor.isQuiet) continue;
          const index = row++;
          if (!hits.columns.isClick(index) || !links.has(cursor.linkId)) continue;
          const { hit } = cursor;
          // After a restore, a link of another organization may have got the id of a lost one.
          if (links.get(hit.linkId)?.organization_id !== hit.organizationId) continue;
          const position = `${segment}/${offset}/${inRecord}`;
          clicks.push({ ...enrich(hit, parts), index, position, ...detailsOf(hit) });
        }
      }
    } catch (cause) {
      if (!isTransient(cause)) throw cause;
      throw new StoreUnavailable((cause as Error).message, { cause });
    } finally {
      reader.close();
    }
    return clicks;
  }

  /** A commit whose answer was lost may have happened: the watermark shows whether it did. */
  async #commit(batch: FoldBatch, deliveries: DeliveriesOf): Promise<void> {
    const { store } = this.#parts;
    const isDone = this.#isInDoubt && isAt(await store.watermark(this.#key), batch.to);
    this.#isInDoubt = true;
    if (!isDone) await store.fold(batch, deliveries);
    this.#isInDoubt = false;
    this.#watermark = batch.to;
    this.#hasFoldedNow = true;
    for (const id of batch.newWords.keys()) this.#unproven.delete(id);
  }

  #newWordsOf(hits: Hits): ReadonlyMap<number, string> {
    const { words } = this.#parts.memory;
    if (this.#wordMark?.trims !== words.mark.trims) this.#unproven.clear();
    for (const [id, word] of words.since(this.#wordMark)) {
      // The database has gone back in time, and has reused the id of a lost word.
      if (this.#unproven.has(id)) throw new StoreChanged('two words have one id');
      this.#unproven.set(id, word);
    }
    this.#wordMark = words.mark;
    if (this.#unproven.size === 0) return this.#unproven;
    const found = new Map<number, string>();
    for (const id of wordsOf(hits)) {
      const word = this.#unproven.get(id);
      if (word !== undefined) found.set(id, word);
    }
    return found;
  }

  async #withRetries(work: () => Promise<void>): Promise<void> {
    for (let wait = firstRetry; !this.#isStopped; wait = Math.min(wait * 2, maxRetry)) {
      try {
        return await work();
      } catch (cause) {
        if (!(cause instanceof StoreUnavailable)) throw cause;
        this.#parts.onUnavailable(cause);
        await pause(wait * (0.5 + Math.random() / 2), this.#stopping.signal);
      }
    }
  }

  /** Otherwise the garbage collector lets unreachable strings grow to several times the memory in use. */
  #collectGarbage(hits: number): void {
    this.#sinceCollection += hits;
    if (this.#sinceCollection < hitsPerCollection) return;
    this.#sinceCollection = 0;
    if (process.memoryUsage().heapUsed < this.#inUse + garbagePerCollection) return;
    Bun.gc(true);
    this.#inUse = process.memoryUsage().heapUsed;
  }
}

const isAt = (one: Position | null, other: Position): boolean =>
  one !== null && one.segment === other.segment && one.offset === other.offset;

/** Returns no data of a visitor who asked not to be tracked. */
const detailsOf = ({ doNotTrack, address, userAgent }: RawHit): Pick<FoldedClick, 'address' | 'userAgent'> =>
  doNotTrack ? { address: '', userAgent: '' } : { address, userAgent };
