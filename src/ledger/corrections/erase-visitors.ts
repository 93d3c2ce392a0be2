import { sql } from 'kysely';
import { dayLength } from '../../rules/durations.ts';
import type { CorrectionScope } from '../correction-scope.ts';
import { ownLinksAfter } from './own-links.ts';
import type { StepOf } from './step-result.ts';

const rowsAtOnce = 2_000;

/**
 * The days that are erased completely. A day that had not ended when the correction was requested is complete if the scope
 * reaches up to that instant.
 */
export const wholeDays = ({ from, to }: CorrectionScope, requestedAt: number) => ({
  from: from === null ? 0 : Math.ceil(from / dayLength),
  to: to >= requestedAt ? Math.ceil(to / dayLength) : Math.floor(to / dayLength),
});

/** Deletes the visitors of whole days that are stored in rows. `cursor` is the previous link. */
export const eraseVisitors: StepOf = async (queries, { scope, cursor, requestedAt }) => {
  const { organizationId, owner } = scope;
  const days = wholeDays(scope, requestedAt);
  const links = await ownLinksAfter(queries, scope, cursor);
  const owners = owner.kind === 'link' || cursor > 0 ? links : [-organizationId, ...links];
  if (owners.length === 0 || days.from >= days.to) return { cursor: null };
  const { rows } = await sql`
    delete from daily_visitors where (day, owner, visitor) in (
      select day, owner, visitor from daily_visitors
      where day >= ${days.from} and day < ${days.to} and owner in (${sql.join(owners)}) limit ${sql.lit(rowsAtOnce)}
    ) returning day`.execute(queries);
  if (rows.length === rowsAtOnce) return { cursor };
  const last = links.at(-1);
  return { cursor: owner.kind === 'link' || last === undefined ? null : last };
};
