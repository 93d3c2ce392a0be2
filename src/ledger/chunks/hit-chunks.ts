import { sql } from 'kysely';
import { moduleUrl } from '../../bundle/module-urls.ts';
import type { HitColumn } from '../../rules/click-fields.ts';
import type { Database } from '../../storage/database.ts';
import { dialects } from '../../storage/dialect.ts';
import {
  type HitCount,
  type HitFilter,
  type HitOwner,
  type Owner,
  organizationOf,
  type PageAfter,
  type PageBefore,
  type StoredHit,
} from '../ledger.ts';
import type { ChunkAnswer, ChunkGroups, ChunkPage, ChunkQuery } from './chunk-job.ts';
import type { ChunkFacts } from './hit-chunk.ts';

const job = moduleUrl('chunk-job');
/** More chunks than are made between two calls of `ownersAfter`. */
const maxNewest = 32;

/** Queries the hits in chunks. `upTo` is what `mergedTo` returned when the query began. */
export class HitChunks {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** All hits of an owner up to this id are in chunks; 0 if it has none. */
  async mergedTo(owner: Owner): Promise<number> {
    const { rows } = await sql<{ last_id: number }>`
      select last_id from hit_chunks where id = (
        select max(id) from hit_chunks where organization_id = ${organizationOf(owner)}
      )`.execute(this.#database.read);
    return rows[0]?.last_id ?? 0;
  }

  /** 0 where chunked hits are also stored in rows and packs. */
  async newestId(): Promise<number> {
    if (!dialects[this.#database.kind].chunksHits) return 0;
    const { rows } = await sql<{ id: number | null }>`select max(last_id) as id from hit_chunks`.execute(
      this.#database.read,
    );
    return rows[0]?.id ?? 0;
  }

  /**
   * Reads the newest chunks only. A chunk with gaps between its first and last id is skipped: its hits were rows or packs for
   * long enough to have been read from those.
   */
  async ownersAfter(id: number, limit: number): Promise<readonly HitOwner[]> {
    if (!dialects[this.#database.kind].chunksHits) return [];
    const { rows } = await sql<ChunkFacts>`
      select organization_id, first_id, last_id, hits from hit_chunks order by id desc limit ${sql.lit(maxNewest)}`.execute(
      this.#database.read,
    );
    const owners: HitOwner[] = [];
    for (const { organization_id, first_id, last_id, hits } of rows.reverse()) {
      if (last_id <= id || last_id - first_id + 1 !== hits) continue;
      for (let hit = Math.max(id + 1, first_id); hit <= last_id && owners.length < limit; hit++)
        owners.push({ id: hit, organization_id });
    }
    return owners;
  }

  count(
    filter: HitFilter,
    upTo: number,
    by: 'hour' | 'class',
    starts: readonly number[] = [],
  ): Promise<readonly HitCount[]> {
    return this.#ask({ kind: 'count', filter, upTo, by, starts });
  }

  groups(
    filter: HitFilter,
    upTo: number,
    grouping: {
      readonly by: HitColumn;
      readonly from: number;
      readonly maxValues: number;
      readonly starts: readonly number[] | null;
    },
  ): Promise<ChunkGroups> {
    return this.#ask({ kind: 'groups', filter, upTo, ...grouping });
  }

  before(filter: HitFilter, upTo: number, page: PageBefore, time: number): Promise<ChunkPage> {
    return this.#ask({ kind: 'before', filter, upTo, page, time });
  }

  after(filter: HitFilter, upTo: number, page: PageAfter): Promise<readonly StoredHit[]> {
    return this.#ask({ kind: 'after', filter, upTo, page });
  }

  async #ask<Answer>(query: ChunkQuery): Promise<Answer> {
    const answer = await this.#database.compute<ChunkAnswer<Answer>>(job, query);
    if (answer === null) throw new ChunksGone();
    return answer;
  }
}

/** The chunks up to the `mergedTo` of a query no longer exist. */
export class ChunksGone extends Error {
  override readonly name = 'ChunksGone';
}
