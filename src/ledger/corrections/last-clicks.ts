import { sql } from 'kysely';
import { rollupClassCodes } from '../../rules/click-fields.ts';
import { hourLength } from '../../rules/durations.ts';
import type { Database } from '../../storage/database.ts';
import type { CorrectionScope } from '../correction-scope.ts';
import { openLedger } from '../open-ledger.ts';
import { linksAtOnce, ownLinksAfter } from './own-links.ts';
import type { Step } from './step-result.ts';

/** Of a link that only has clicks that were counted while it was quiet. */
const neverClicked = 0;
/** How many of the newest hits by id are searched for the latest one. */
const maxSearched = 1_000;

/**
 * Corrects `last_clicked_at` of links whose last click was in the scope and may no longer exist or count. `cursor` is the
 * previous link.
 */
export async function lastClicksToSet(
  database: Database,
  scope: CorrectionScope,
  cursor: number,
): Promise<Step> {
  const { organizationId, owner, from, to } = scope;
  const links = await ownLinksAfter(database.read, scope, cursor);
  const last = links.at(-1);
  if (last === undefined) return async () => ({ cursor: null });
  const clicked = await database.read
    .selectFrom('link_clicks')
    .selectAll()
    .where('link_id', 'in', [...links])
    .where('last_clicked_at', '>=', from ?? 0)
    .where('last_clicked_at', '<', to)
    .execute();
  const found: { link: number; before: number; at: number }[] = [];
  for (const { link_id: link, last_clicked_at: before } of clicked) {
    const at = (await lastClickOf(database, organizationId, link)) ?? neverClicked;
    if (at < before) found.push({ link, before, at });
  }
  return async (queries) => {
    for (const { link, before, at } of found)
      await queries
        .updateTable('link_clicks')
        .set({ last_clicked_at: at })
        .where('link_id', '=', link)
        .where('last_clicked_at', '=', before)
        .execute();
    return { cursor: owner.kind === 'link' || links.length < linksAtOnce ? null : last };
  };
}

/** The instant of a link's last click; the beginning of its hour if the click itself is no longer stored. Null if none is left. */
async function lastClickOf(database: Database, organizationId: number, link: number): Promise<number | null> {
  const { rows } = await sql<{ hour: number }>`select hour from link_hours
    where link_id = ${link} and click > 0 order by hour desc limit 1`.execute(database.read);
  const [row] = rows;
  if (row === undefined) return null;
  const [from, to] = [row.hour * hourLength, (row.hour + 1) * hourLength];
  const owner = { kind: 'link', id: link, organizationId } as const;
  const filter = { owner, classes: [rollupClassCodes.click], from, to };
  const page = { before: undefined, limit: maxSearched, offset: 0 };
  const { hits } = await openLedger(database).before(filter, page);
  return hits.reduce((latest, { at }) => Math.max(latest, at), from);
}
