import { sql } from 'kysely';
import { dimensionCodes, dimensions, rollupClasses } from '../../rules/click-fields.ts';
import { changeLinkClicks, changeTotals } from './change-totals.ts';
import { ownLinksAfter } from './own-links.ts';
import { RollUpDifference, type StoredHour } from './roll-up-difference.ts';
import type { StepOf } from './step-result.ts';

/*
 * When no hit of a scope is left, its whole hours still count hits that retention has deleted: these counts are deleted directly.
 */

/** Few enough that no other change waits long behind a transaction. */
const hoursAtOnce = 300;
const rowsAtOnce = 2_000;

export const eraseLinkHours: StepOf = async (
  queries,
  { scope: { organizationId, owner }, hours, cursor },
) => {
  const rows: readonly StoredHour[] = await queries
    .selectFrom('link_hours')
    .selectAll()
    .where('link_id', '=', owner.id)
    .where('hour', '>=', Math.max(cursor, hours.from))
    .where('hour', '<', hours.to)
    .orderBy('hour')
    .limit(hoursAtOnce)
    .execute();
  const difference = new RollUpDifference();
  for (const row of rows) difference.subtractHour(organizationId, row);
  await changeTotals(queries, difference);
  const last = rows.at(-1);
  return {
    cursor: last === undefined || rows.length < hoursAtOnce ? null : last.hour + 1,
    notKept: rows.reduce((sum, row) => sum + hitsIn(row), 0),
  };
};

const hitsIn = (row: StoredHour): number => rollupClasses.reduce((sum, name) => sum + (row[name] ?? 0), 0);

/** The hours of the organization's links, followed by those of the organization itself. */
export const eraseOrganizationHours: StepOf = async (queries, { scope, hours, cursor }) => {
  const links = await ownLinksAfter(queries, scope, cursor);
  const last = links.at(-1);
  if (last === undefined || hours.from >= hours.to) return { cursor: null };
  const { rows } = await sql<{ link_id: number; click: number }>`
    delete from link_hours where (link_id, hour) in (
      select link_id, hour from link_hours where link_id in (${sql.join(links)})
        and hour >= ${hours.from} and hour < ${hours.to} limit ${sql.lit(rowsAtOnce)}
    ) returning link_id, click`.execute(queries);
  const difference = new RollUpDifference();
  for (const { link_id, click } of rows) difference.addClicks(link_id, -click, 0);
  await changeLinkClicks(queries, difference);
  return { cursor: rows.length < rowsAtOnce ? last : cursor };
};

/** `cursor` is the dimension. */
export const eraseOrganizationRollups: StepOf = async (queries, { scope, hours, cursor }) => {
  const { organizationId, owner } = scope;
  if (owner.kind === 'link' || hours.from >= hours.to) return { cursor: null };
  let notKept = 0;
  let left = rowsAtOnce;
  for (let dimension = cursor; dimension < dimensions.length; dimension++) {
    const { rows } = await sql<{ hits: number }>`
      delete from organization_rollups where (organization_id, dimension, hour, class, value) in (
        select organization_id, dimension, hour, class, value from organization_rollups
        where organization_id = ${organizationId} and dimension = ${dimension}
          and hour >= ${hours.from} and hour < ${hours.to} limit ${left}
      ) returning hits`.execute(queries);
    if (dimension === dimensionCodes.total) notKept += rows.reduce((sum, { hits }) => sum + hits, 0);
    left -= rows.length;
    if (left === 0) return { cursor: dimension, notKept };
  }
  return { cursor: null, notKept };
};
