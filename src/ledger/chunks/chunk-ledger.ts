import type { HitColumn } from '../../rules/click-fields.ts';
import { type GroupCount, groupsInRounds } from '../groups.ts';
import type {
  CountAndGroups,
  HitCount,
  HitFilter,
  HitOwner,
  HitPage,
  Ledger,
  PageAfter,
  PageBefore,
  StoredHit,
} from '../ledger.ts';
import type { PackLedger } from '../packs/pack-ledger.ts';
import { ChunksGone, type HitChunks } from './hit-chunks.ts';

/**
 * Older hits in chunks, and later ones in rows and packs. Hits stay in their rows and packs for a minute after they were added to
 * a chunk, so each query first looks up to which hit there are chunks, and reads later hits from rows and packs.
 */
export class ChunkLedger implements Ledger {
  readonly #chunks: HitChunks;
  readonly #recent: PackLedger;
  readonly #maxValues: number;

  constructor(chunks: HitChunks, recent: PackLedger, maxValues = 250_000) {
    this.#chunks = chunks;
    this.#recent = recent;
    this.#maxValues = maxValues;
  }

  before(filter: HitFilter, page: PageBefore): Promise<HitPage> {
    return withRetries(() => this.#before(filter, page));
  }

  async #before(filter: HitFilter, page: PageBefore): Promise<HitPage> {
    const upTo = await this.#chunks.mergedTo(filter.owner);
    const recent = await this.#recent.before({ ...filter, above: upTo }, page);
    const missing = page.limit - recent.hits.length;
    if (upTo === 0 || missing === 0 || recent.stoppedAt !== null) return recent;
    const { until = Number.POSITIVE_INFINITY } = page;
    const rest = { ...page, limit: missing, offset: page.offset - recent.passed };
    const { hits, passed, stoppedAt } = await this.#chunks.before(
      filter,
      upTo,
      rest,
      Math.max(0, until - performance.now()),
    );
    return { hits: [...recent.hits, ...hits], passed: recent.passed + passed, stoppedAt };
  }

  after(filter: HitFilter, page: PageAfter): Promise<readonly StoredHit[]> {
    return withRetries(() => this.#after(filter, page));
  }

  async #after(filter: HitFilter, page: PageAfter): Promise<readonly StoredHit[]> {
    const upTo = await this.#chunks.mergedTo(filter.owner);
    const hits = page.after < upTo ? await this.#chunks.after(filter, upTo, page) : [];
    const limit = page.limit - hits.length;
    if (limit === 0) return hits;
    const after = Math.max(page.after, upTo);
    return [...hits, ...(await this.#recent.after({ ...filter, above: upTo }, { ...page, after, limit }))];
  }

  count(filter: HitFilter, by: 'hour' | 'class', starts?: readonly number[]): Promise<readonly HitCount[]> {
    return withRetries(() => this.#count(filter, by, starts));
  }

  async #count(
    filter: HitFilter,
    by: 'hour' | 'class',
    starts?: readonly number[],
  ): Promise<readonly HitCount[]> {
    const upTo = await this.#chunks.mergedTo(filter.owner);
    const [recent, merged] = await Promise.all([
      this.#recent.count({ ...filter, above: upTo }, by),
      upTo === 0 ? [] : this.#chunks.count(filter, upTo, by, starts),
    ]);
    return [...recent, ...merged];
  }

  async groups(filter: HitFilter, by: HitColumn, limit: number): Promise<readonly GroupCount[]> {
    return (await withRetries(() => this.#groups(filter, null, by, limit))).groups;
  }

  countAndGroups(
    filter: HitFilter,
    starts: readonly number[],
    by: HitColumn,
    limit: number,
  ): Promise<CountAndGroups> {
    return withRetries(() => this.#groups(filter, starts, by, limit));
  }

  async #groups(
    filter: HitFilter,
    starts: readonly number[] | null,
    by: HitColumn,
    limit: number,
  ): Promise<CountAndGroups> {
    const upTo = await this.#chunks.mergedTo(filter.owner);
    const above = { ...filter, above: upTo };
    const counts = starts === null ? [] : [...(await this.#recent.count(above, 'hour'))];
    if (upTo === 0) return { counts, groups: await this.#recent.groups(above, by, limit) };
    const found = await groupsInRounds(limit, async (groups, from) => {
      const isFirst = from === 0;
      const grouping = { by, from, maxValues: this.#maxValues, starts: isFirst ? starts : null };
      const { groups: merged, end, counts: mergedCounts } = await this.#chunks.groups(filter, upTo, grouping);
      counts.push(...mergedCounts);
      groups.addAll(merged, end);
      return this.#recent.addGroups(groups, above, by, from, end);
    });
    return { counts, groups: found };
  }

  async newestId(): Promise<number> {
    return Math.max(await this.#recent.newestId(), await this.#chunks.newestId());
  }

  async ownersAfter(id: number, limit: number): Promise<readonly HitOwner[]> {
    const recent = await this.#recent.ownersAfter(id, limit);
    const merged = await this.#chunks.ownersAfter(id, limit);
    if (merged.length === 0) return recent;
    const seen = new Set(recent.map((hit) => hit.id));
    return [...recent, ...merged.filter((hit) => !seen.has(hit.id))]
      .sort((one, other) => one.id - other.id)
      .slice(0, limit);
  }
}

const maxTries = 3;

/** Retries a query if chunks were deleted meanwhile. */
async function withRetries<Answer>(query: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await query();
    } catch (cause) {
      if (!(cause instanceof ChunksGone) || tries === maxTries) throw cause;
    }
  }
}
