import { sql } from 'kysely';
import { moduleUrl } from '../../bundle/module-urls.ts';
import type { HitColumn } from '../../rules/click-fields.ts';
import type { Database } from '../../storage/database.ts';
import { dialects } from '../../storage/dialect.ts';
import { type GroupCount, groupsInRounds } from '../groups.ts';
import {
  type CountAndGroups,
  type HitCount,
  type HitFilter,
  type HitOwner,
  type HitPage,
  type Ledger,
  type Owner,
  organizationOf,
  type PageAfter,
  type PageBefore,
  type StoredHit,
} from '../ledger.ts';
import { PackLedger } from '../packs/pack-ledger.ts';
import type { ChunkGroups, ChunkQuery } from './chunk-job.ts';
import type { ChunkFacts } from './hit-chunk.ts';

const job = moduleUrl('chunk-job');
/** More chunks than are made between two calls of `ownersAfter`. */
const maxNewest = 32;
const maxTries = 3;

/**
 * Older hits in chunks, and later ones in rows and packs. Hits stay in their rows and packs for a minute after they were added to
 * a chunk, so each query first looks up to which hit there are chunks, and reads later hits from rows and packs.
 */
export class ChunkLedger implements Ledger {
  readonly #database: Database;
  readonly #recent: PackLedger;
  readonly #maxValues: number;

  constructor(database: Database, maxValues = 250_000) {
    this.#database = database;
    this.#recent = new PackLedger(database, maxValues);
    this.#maxValues = maxValues;
  }

  before(filter: HitFilter, page: PageBefore): Promise<HitPage> {
    return this.#fromBoth(filter, async (upTo, later) => {
      const recent = await this.#recent.before(later, page);
      const limit = page.limit - recent.hits.length;
      if (upTo === 0 || limit === 0 || recent.stoppedAt !== null) return recent;
      const rest = { ...page, limit, offset: page.offset - recent.passed };
      const time = Math.max(0, (page.until ?? Number.POSITIVE_INFINITY) - performance.now());
      const merged = await this.#ask<HitPage>({ kind: 'before', filter, upTo, page: rest, time });
      return {
        hits: [...recent.hits, ...merged.hits],
        passed: recent.passed + merged.passed,
        stoppedAt: merged.stoppedAt,
      };
    });
  }

  after(filter: HitFilter, page: PageAfter): Promise<readonly StoredHit[]> {
    return this.#fromBoth(filter, async (upTo, later) => {
      const hits =
        page.after < upTo ? await this.#ask<readonly StoredHit[]>({ kind: 'after', filter, upTo, page }) : [];
      const limit = page.limit - hits.length;
      if (limit === 0) return hits;
      const after = Math.max(page.after, upTo);
      return [...hits, ...(await this.#recent.after(later, { ...page, after, limit }))];
    });
  }

  count(
    filter: HitFilter,
    by: 'hour' | 'class',
    starts: readonly number[] = [],
  ): Promise<readonly HitCount[]> {
    return this.#fromBoth(filter, async (upTo, later) => {
      const [recent, merged] = await Promise.all([
        this.#recent.count(later, by),
        upTo === 0 ? [] : this.#ask<readonly HitCount[]>({ kind: 'count', filter, upTo, by, starts }),
      ]);
      return [...recent, ...merged];
    });
  }

  async groups(filter: HitFilter, by: HitColumn, limit: number): Promise<readonly GroupCount[]> {
    return (await this.countAndGroups(filter, null, by, limit)).groups;
  }

  /** Without `starts`, only groups. */
  countAndGroups(
    filter: HitFilter,
    starts: readonly number[] | null,
    by: HitColumn,
    limit: number,
  ): Promise<CountAndGroups> {
    return this.#fromBoth(filter, async (upTo, later) => {
      const counts = starts === null ? [] : [...(await this.#recent.count(later, 'hour'))];
      const found = await groupsInRounds(limit, async (groups, from) => {
        let end = Number.POSITIVE_INFINITY;
        if (upTo > 0) {
          const grouping = { by, from, maxValues: this.#maxValues, starts: from === 0 ? starts : null };
          const merged = await this.#ask<ChunkGroups>({ kind: 'groups', filter, upTo, ...grouping });
          counts.push(...merged.counts);
          groups.addAll(merged.groups, merged.end);
          end = merged.end;
        }
        return this.#recent.addGroups(groups, later, by, from, end);
      });
      return { counts, groups: found };
    });
  }

  async newestId(): Promise<number> {
    return Math.max(await this.#recent.newestId(), await this.#newestChunkedId());
  }

  async ownersAfter(id: number, limit: number): Promise<readonly HitOwner[]> {
    const recent = await this.#recent.ownersAfter(id, limit);
    const merged = await this.#chunkedOwnersAfter(id, limit);
    if (merged.length === 0) return recent;
    const seen = new Set(recent.map((hit) => hit.id));
    return [...recent, ...merged.filter((hit) => !seen.has(hit.id))]
      .sort((one, other) => one.id - other.id)
      .slice(0, limit);
  }

  /** 0 where chunked hits are also stored in rows and packs. */
  async #newestChunkedId(): Promise<number> {
    const { kind, read } = this.#database;
    if (!dialects[kind].chunksReplaceRows) return 0;
    const { rows } = await sql<{ id: number | null }>`select max(last_id) as id from hit_chunks`.execute(
      read,
    );
    return rows[0]?.id ?? 0;
  }

  /**
   * Reads the newest chunks only. A chunk with gaps between its first and last id is skipped: its hits were rows or packs for
   * long enough to have been read from those.
   */
  async #chunkedOwnersAfter(id: number, limit: number): Promise<readonly HitOwner[]> {
    const { kind, read } = this.#database;
    if (!dialects[kind].chunksReplaceRows) return [];
    const { rows } = await sql<ChunkFacts>`
      select organization_id, first_id, last_id, hits from hit_chunks order by id desc limit ${sql.lit(maxNewest)}`.execute(
      read,
    );
    const owners: HitOwner[] = [];
    for (const { organization_id, first_id, last_id, hits } of rows.reverse()) {
      if (last_id <= id || last_id - first_id + 1 !== hits) continue;
      for (let hit = Math.max(id + 1, first_id); hit <= last_id && owners.length < limit; hit++)
        owners.push({ id: hit, organization_id });
    }
    return owners;
  }

  async #ask<Answer>(query: ChunkQuery): Promise<Answer> {
    const answer = await this.#database.compute<Answer | null>(job, query);
    if (answer === null) throw new ChunksGone();
    return answer;
  }

  /**
   * Calls `query` with the id up to which there are chunks, and with the filter of the hits after them: again if chunks were
   * deleted meanwhile.
   */
  async #fromBoth<Answer>(
    filter: HitFilter,
    query: (upTo: number, later: HitFilter) => Promise<Answer>,
  ): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const upTo = await chunkedUpTo(this.#database, filter.owner);
      try {
        return await query(upTo, { ...filter, above: upTo });
      } catch (cause) {
        if (!(cause instanceof ChunksGone) || tries === maxTries) throw cause;
      }
    }
  }
}

/** All hits of an owner up to this id are in chunks; 0 if it has none. */
export async function chunkedUpTo({ read }: Database, owner: Owner): Promise<number> {
  const { rows } = await sql<{ last_id: number }>`
    select last_id from hit_chunks where id = (
      select max(id) from hit_chunks where organization_id = ${organizationOf(owner)}
    )`.execute(read);
  return rows[0]?.last_id ?? 0;
}

/** The chunks up to the `upTo` of a query no longer exist. */
class ChunksGone extends Error {
  override readonly name = 'ChunksGone';
}
