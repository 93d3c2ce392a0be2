import { sql } from 'kysely';
import type { Queries } from '../../storage/schema.ts';
import type { CorrectionScope } from '../correction-scope.ts';

export const linksAtOnce = 200;

/** The ids of the scope's links, including deleted ones: its only link, or some that follow an id in ascending order. */
export async function ownLinksAfter(
  queries: Queries,
  { organizationId, owner }: CorrectionScope,
  after: number,
): Promise<readonly number[]> {
  if (owner.kind === 'link') return [owner.id];
  const { rows } = await sql<{ id: number }>`
    select id from (select id from links where organization_id = ${organizationId} and id > ${after}
      order by id limit ${sql.lit(linksAtOnce)}) as links
    union select id from (select id from link_bin where organization_id = ${organizationId} and id > ${after}
      order by id limit ${sql.lit(linksAtOnce)}) as binned
    order by id limit ${sql.lit(linksAtOnce)}`.execute(queries);
  return rows.map(({ id }) => id);
}
