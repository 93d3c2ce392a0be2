import type { HitColumn } from '../rules/click-fields.ts';
import { type GroupCount, groupsInRounds } from './groups.ts';
import type { HitChunks } from './hit-chunks.ts';
import type {
  HitCount,
  HitFilter,
  HitOwner,
  HitPage,
  Ledger,
  PageAfter,
  PageBefore,
  StoredHit,
} from './ledger.ts';
import type { PackLedger } from './pack-ledger.ts';

/**
 * Hits of a while ago in chunks, and later ones in rows and packs. What is in chunks stays where it was for a minute, so each
 * question begins by looking up to which hit there are chunks and asks for later ones elsewhere.
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

  async before(filter: HitFilter, page: PageBefore): Promise<HitPage> {
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

  async after(filter: HitFilter, page: PageAfter): Promise<readonly StoredHit[]> {
    const upTo = await this.#chunks.mergedTo(filter.owner);
    const hits = page.after < upTo ? await this.#chunks.after(filter, upTo, page) : [];
    const limit = page.limit - hits.length;
    if (limit === 0) return hits;
    const after = Math.max(page.after, upTo);
    return [...hits, ...(await this.#recent.after({ ...filter, above: upTo }, { ...page, after, limit }))];
  }

  async count(filter: HitFilter, by: 'hour' | 'class'): Promise<readonly HitCount[]> {
    const upTo = await this.#chunks.mergedTo(filter.owner);
    const [recent, merged] = await Promise.all([
      this.#recent.count({ ...filter, above: upTo }, by),
      upTo === 0 ? [] : this.#chunks.count(filter, upTo, by),
    ]);
    return [...recent, ...merged];
  }

  async groups(filter: HitFilter, by: HitColumn, limit: number): Promise<readonly GroupCount[]> {
    const upTo = await this.#chunks.mergedTo(filter.owner);
    const above = { ...filter, above: upTo };
    if (upTo === 0) return this.#recent.groups(above, by, limit);
    return groupsInRounds(limit, async (groups, from) => {
      const { groups: merged, end } = await this.#chunks.groups(filter, upTo, {
        by,
        from,
        maxValues: this.#maxValues,
      });
      groups.addAll(merged, end);
      return this.#recent.addGroups(groups, above, by, from, end);
    });
  }

  async newestId(): Promise<number> {
    return Math.max(await this.#recent.newestId(), await this.#chunks.newestId());
  }

  /** Those of recent hits: whoever follows the ledger has seen what is in chunks. */
  ownersAfter(id: number, limit: number): Promise<readonly HitOwner[]> {
    return this.#recent.ownersAfter(id, limit);
  }
}
