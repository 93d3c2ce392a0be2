import { sql } from 'kysely';
import { threadUrl } from '../bundle/located.ts';
import type { HitColumn } from '../rules/click-fields.ts';
import type { Database } from '../storage/database.ts';
import { dialects } from '../storage/dialect.ts';
import type { ChunkAnswer, ChunkGroups, ChunkPage, ChunkQuestion } from './chunk-job.ts';
import type { ChunkFacts } from './hit-chunk.ts';
import {
  type HitCount,
  type HitFilter,
  type HitOwner,
  type Owner,
  organizationOf,
  type PageAfter,
  type PageBefore,
  type StoredHit,
} from './ledger.ts';

const job = threadUrl('chunk-job');
/** More chunks than come between two looks of a follower. */
const newestLooked = 32;

/** Asks for the hits in chunks. `upTo` is what `mergedTo` said when a question began. */
export class HitChunks {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Up to this id all hits of an owner are in chunks; 0 where there is none. */
  async mergedTo(owner: Owner): Promise<number> {
    const { rows } = await sql<{ last_id: number }>`
      select last_id from hit_chunks where id = (
        select max(id) from hit_chunks where organization_id = ${organizationOf(owner)}
      )`.execute(this.#database.read);
    return rows[0]?.last_id ?? 0;
  }

  /** 0 where chunks take no other form's place. */
  async newestId(): Promise<number> {
    if (!dialects[this.#database.kind].chunksHits) return 0;
    const { rows } = await sql<{ id: number | null }>`select max(last_id) as id from hit_chunks`.execute(
      this.#database.read,
    );
    return rows[0]?.id ?? 0;
  }

  /**
   * Of the newest chunks. Where a chunk has a part of the ids between its first and last, its hits were rows or packs for long
   * enough that a follower has seen them there.
   */
  async ownersAfter(id: number, limit: number): Promise<readonly HitOwner[]> {
    if (!dialects[this.#database.kind].chunksHits) return [];
    const { rows } = await sql<ChunkFacts>`
      select organization_id, first_id, last_id, hits from hit_chunks order by id desc limit ${sql.lit(newestLooked)}`.execute(
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
    asked: {
      readonly by: HitColumn;
      readonly from: number;
      readonly maxValues: number;
      readonly starts: readonly number[] | null;
    },
  ): Promise<ChunkGroups> {
    return this.#ask({ kind: 'groups', filter, upTo, ...asked });
  }

  before(filter: HitFilter, upTo: number, page: PageBefore, time: number): Promise<ChunkPage> {
    return this.#ask({ kind: 'before', filter, upTo, page, time });
  }

  after(filter: HitFilter, upTo: number, page: PageAfter): Promise<readonly StoredHit[]> {
    return this.#ask({ kind: 'after', filter, upTo, page });
  }

  async #ask<Answer>(question: ChunkQuestion): Promise<Answer> {
    const answer = await this.#database.compute<ChunkAnswer<Answer>>(job, question);
    if (answer === null) throw new ChunksGone();
    return answer;
  }
}

/** There are no longer chunks up to where `mergedTo` said. */
export class ChunksGone extends Error {
  override readonly name = 'ChunksGone';
}
