import type { HitColumn } from '../../rules/click-fields.ts';
import { hourLength } from '../../rules/durations.ts';
import type { Database } from '../../storage/database.ts';
import { isInSorted } from '../../structures/sorted-numbers.ts';
import type { Groups } from '../groups.ts';
import type { HitCount, HitFilter, HitOwner, HitPage, PageAfter, PageBefore, StoredHit } from '../ledger.ts';
import { RowLedger } from '../row-ledger.ts';
import { minInPack } from './pack-layout.ts';
import {
  eachPack,
  newestPackedId,
  type PackedHits,
  packSpansAfter,
  packsAfter,
  packsBefore,
} from './packed-hits.ts';

/** The first query reads few packs: they often fill a page. */
const fewPacks = 2;
/** A pack may have few hits of a link among many of its organization. */
const manyPacks = 128;
const more = (limit: number): number => Math.min(limit * 8, manyPacks);
const maxClasses = 8;

/**
 * Hits of busy times in packs, and the others as rows, by the methods of a `Ledger` that `ChunkLedger` needs. Both draw their ids
 * from one sequence.
 */
export class PackLedger {
  readonly #database: Database;
  readonly #rows: RowLedger;
  readonly #maxValues: number;

  /** `maxValues` are kept in memory while hits are grouped. */
  constructor(database: Database, maxValues: number) {
    this.#database = database;
    this.#rows = new RowLedger(database);
    this.#maxValues = maxValues;
  }

  /** Reads from a greatest id downwards: hits that are added meanwhile have greater ids. */
  async before(filter: HitFilter, page: PageBefore): Promise<HitPage> {
    const found: StoredHit[] = [];
    let { offset } = page;
    let before = page.before ?? (await this.newestId()) + 1;
    for (let limit = fewPacks; ; limit = more(limit)) {
      const packs = await packsBefore(this.#database, filter, before, limit);
      const isLast = packs.length < limit;
      const from = isLast ? 0 : (packs.at(-1)?.pack.id ?? 0);
      const packed = packs.flatMap((hits) => matching(hits, filter, 0, before - 1).reverse());
      const skippable = offset > 0 ? packed.length + (await this.#rows.total(filter, { from, before })) : 0;
      if (offset > 0 && skippable <= offset) offset -= skippable;
      else {
        // However the packed hits are interleaved with the rows, at least this many rows precede the page.
        const passed = Math.max(0, offset - packed.length);
        offset -= passed;
        const missing = page.limit - found.length;
        const span = { from, before, offset: passed, limit: missing + offset, until: page.until };
        const rows = await this.#rows.before(filter, span);
        const merged = newestFirst(rows.hits, packed.slice(0, missing + offset), rows.stoppedAt ?? 0);
        found.push(...merged.slice(offset, offset + missing));
        offset -= Math.min(offset, merged.length);
        if (rows.stoppedAt !== null && found.length < page.limit)
          return { hits: found, passed: page.offset - offset, stoppedAt: rows.stoppedAt };
      }
      if (isLast || found.length === page.limit)
        return { hits: found, passed: page.offset - offset, stoppedAt: null };
      if (performance.now() >= (page.until ?? Number.POSITIVE_INFINITY))
        return { hits: found, passed: page.offset - offset, stoppedAt: from };
      before = from;
    }
  }

  async after(filter: HitFilter, page: PageAfter): Promise<readonly StoredHit[]> {
    const { upTo, limit } = page;
    const found: StoredHit[] = [];
    for (let { after } = page, limitOfPacks = fewPacks; ; limitOfPacks = more(limitOfPacks)) {
      const packs = await packsAfter(this.#database, filter, after, limitOfPacks);
      const last = packs.at(-1)?.pack;
      const isLast = packs.length < limitOfPacks || last === undefined;
      const end = isLast ? upTo : Math.min(upTo, last.id + last.count - 1);
      const missing = limit - found.length;
      const rows = await this.#rows.after(filter, { after, upTo: end, limit: missing });
      const packed = packs.flatMap((hits) => matching(hits, filter, after, end)).slice(0, limit);
      const merged = newestFirst(rows.toReversed(), packed.toReversed()).reverse();
      found.push(...merged.slice(0, missing));
      if (isLast || found.length === limit || end === upTo) return found;
      after = end;
    }
  }

  async count(filter: HitFilter, by: 'hour' | 'class'): Promise<readonly HitCount[]> {
    const counts = new Map<number, number>();
    for await (const hits of eachPack(this.#database, filter)) {
      const at = hits.pack.column('at');
      eachMatching(hits, filter, (row, ofClass) => {
        const value = by === 'hour' ? Math.floor((at[row] ?? 0) / hourLength) : ofClass;
        const key = value * maxClasses + ofClass;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      });
    }
    const packed = Array.from(counts, ([key, hits]) => ({
      value: Math.floor(key / maxClasses),
      class: key % maxClasses,
      hits,
    }));
    return [...(await this.#rows.count(filter, by)), ...packed];
  }

  /**
   * Adds the counts of values from `from` on, up to `before`. Memory is bounded: values beyond the lowest ones are left for
   * another round, which reads the packs again. Returns the lowest value left.
   */
  async addGroups(
    groups: Groups,
    filter: HitFilter,
    by: HitColumn,
    from: number,
    before: number,
  ): Promise<number> {
    const rows = await this.#rows.countFrom(filter, by, from, this.#maxValues);
    let end = rows.length < this.#maxValues ? before : Math.min(before, rows.at(-1)?.value ?? 0);
    groups.forgetFrom(end);
    for (const { value, class: ofClass, hits } of rows) if (value < end) groups.add(value, ofClass, hits);
    for await (const hits of eachPack(this.#database, filter)) {
      const values = by === 'class' ? null : hits.pack.column(by);
      eachMatching(hits, filter, (row, ofClass) => {
        const value = values === null ? ofClass : (values[row] ?? 0);
        if (value >= from && value < end) groups.add(value, ofClass, 1);
      });
      if (groups.size > this.#maxValues) end = groups.forgetUpperHalf();
    }
    return end;
  }

  async newestId(): Promise<number> {
    return Math.max(await this.#rows.newestId(), await newestPackedId(this.#database));
  }

  async ownersAfter(id: number, limit: number): Promise<readonly HitOwner[]> {
    const owners = [...(await this.#rows.ownersAfter(id, limit))];
    const enough = owners.length + limit;
    // Perhaps only one hit of the first pack is new.
    const packs = await packSpansAfter(this.#database, id, 1 + Math.ceil(limit / minInPack));
    for (const { id: first, hits, organization_id } of packs) {
      if (owners.length >= enough) break;
      for (let row = 0; row < hits; row++)
        if (first + row > id) owners.push({ id: first + row, organization_id });
    }
    return owners.sort((one, other) => one.id - other.id).slice(0, limit);
  }
}

/** A hit in a pack, by its row there. */
interface Packed {
  readonly pack: PackedHits['pack'];
  readonly row: number;
}

/** Hits that pass a filter, after an id and up to another, oldest first. */
function matching(hits: PackedHits, filter: HitFilter, after: number, upTo: number): Packed[] {
  const { pack } = hits;
  const from = Math.max(hits.from, after + 1 - pack.id);
  const to = Math.min(hits.to, upTo + 1 - pack.id);
  const found: Packed[] = [];
  eachMatching({ pack, from, to }, filter, (row) => found.push({ pack, row }));
  return found;
}

function eachMatching(
  { pack, from, to }: PackedHits,
  { owner: { links }, classes, values = [], ...times }: HitFilter,
  take: (row: number, ofClass: number) => void,
): void {
  const at = pack.column('at');
  const requestedLinks = links && { has: isInSorted(links), of: pack.column('link_id') };
  const requestedValues = values.map(([name, value]) => [pack.column(name), value] as const);
  const since = times.from ?? Number.NEGATIVE_INFINITY;
  const until = times.to ?? Number.POSITIVE_INFINITY;
  for (let row = from; row < to; row++) {
    const instant = at[row] ?? 0;
    if (instant < since || instant >= until) continue;
    const ofClass = pack.rollupClass(row);
    if (classes !== undefined && !classes.includes(ofClass)) continue;
    if (requestedLinks !== undefined && !requestedLinks.has(requestedLinks.of[row] ?? 0)) continue;
    if (requestedValues.every(([column, value]) => column[row] === value)) take(row, ofClass);
  }
}

/** Merges lists that are both newest first; packed hits below an id are left out. */
function newestFirst(rows: readonly StoredHit[], packed: readonly Packed[], from = 0): StoredHit[] {
  const merged: StoredHit[] = [];
  let next = 0;
  for (const { pack, row } of packed) {
    if (pack.id + row < from) break;
    for (let hit = rows[next]; hit && hit.id > pack.id + row; hit = rows[++next]) merged.push(hit);
    merged.push(pack.hit(row));
  }
  return [...merged, ...rows.slice(next)];
}
