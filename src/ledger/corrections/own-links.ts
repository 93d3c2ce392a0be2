import { sql } from 'kysely';
import type { Queries } from '../../storage/schema.ts';

/** The ids of an organization's links, including deleted ones, that follow an id in ascending order. */
export async function ownLinksAfter(
  queries: Queries,
  organizationId: number,
  after: number,
  limit: number,
): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from (select id from links where organization_id = ${organizationId} and id > ${after}
      order by id limit ${sql.lit(limit)}) as links
    union select id from (select id from link_bin where organization_id = ${organizationId} and id > ${after}
      order by id limit ${sql.lit(limit)}) as binned
    order by id limit ${sql.lit(limit)}`.execute(queries);
  return rows.map(({ id }) => id);
}
