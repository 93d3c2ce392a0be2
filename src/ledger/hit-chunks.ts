import { sql } from 'kysely';
import { threadUrl } from '../bundle/located.ts';
import type { HitColumn } from '../rules/click-fields.ts';
import type { Compute, Database } from '../storage/database.ts';
import type { ChunkGroups, ChunkPage, ChunkQuestion } from './chunk-job.ts';
import type { HitCount, HitFilter, Owner, PageAfter, PageBefore, StoredHit } from './ledger.ts';

const job = threadUrl('chunk-job');

/** Asks for the hits in chunks. `upTo` is what `mergedTo` said when a question began. */
export class HitChunks {
  readonly #database: Database;
  readonly #compute: Compute;

  constructor(database: Database, compute: Compute) {
    this.#database = database;
    this.#compute = compute;
  }

  /**
   * Up to this id all hits of an owner are in chunks; 0 where there is none. All of a link's hits below the newest chunk that
   * has some are in chunks, because those of its organization are.
   */
  async mergedTo({ kind, id }: Owner): Promise<number> {
    const newest =
      kind === 'organization'
        ? sql`select max(id) from hit_chunks where organization_id = ${id}`
        : sql`select max(chunk_id) from hit_chunk_links where link_id = ${id}`;
    const { rows } = await sql<{ last_id: number }>`
      select last_id from hit_chunks where id = (${newest})`.execute(this.#database.read);
    return rows[0]?.last_id ?? 0;
  }

  async newestId(): Promise<number> {
    const { rows } = await sql<{ id: number | null }>`select max(last_id) as id from hit_chunks`.execute(
      this.#database.read,
    );
    return rows[0]?.id ?? 0;
  }

  count(filter: HitFilter, upTo: number, by: 'hour' | 'class'): Promise<readonly HitCount[]> {
    return this.#ask({ kind: 'count', filter, upTo, by });
  }

  groups(
    filter: HitFilter,
    upTo: number,
    asked: { readonly by: HitColumn; readonly from: number; readonly maxValues: number },
  ): Promise<ChunkGroups> {
    return this.#ask({ kind: 'groups', filter, upTo, ...asked });
  }

  before(filter: HitFilter, upTo: number, page: PageBefore, time: number): Promise<ChunkPage> {
    return this.#ask({ kind: 'before', filter, upTo, page, time });
  }

  after(filter: HitFilter, upTo: number, page: PageAfter): Promise<readonly StoredHit[]> {
    return this.#ask({ kind: 'after', filter, upTo, page });
  }

  #ask<Answer>(question: ChunkQuestion): Promise<Answer> {
    return this.#compute<Answer>(job, question);
  }
}
