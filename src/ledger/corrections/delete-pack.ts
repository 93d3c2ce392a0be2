import type { Queries } from '../../storage/schema.ts';
import type { HitPack } from '../packs/hit-pack.ts';

/** With its links, whose key begins with the link. */
export async function deletePack(queries: Queries, pack: HitPack): Promise<void> {
  await queries
    .deleteFrom('hit_pack_links')
    .where('link_id', 'in', [...pack.links])
    .where('pack_id', '=', pack.id)
    .execute();
  await queries.deleteFrom('hit_packs').where('id', '=', pack.id).execute();
}
