import { sql } from 'kysely';
import { dialectOf } from '../../storage/dialect.ts';
import { numbersIn } from '../../storage/json-rows.ts';
import { countRows, hasRow } from '../../storage/rows.ts';
import type { Queries } from '../../storage/schema.ts';
import type { CorrectionScope } from '../correction-scope.ts';
import { ownLinksAfter } from './own-links.ts';
import type { StepInput, StepOf, StepResult } from './step-result.ts';
import { correctOrganizationVisitors, type Days, lockVisitorDays, wholeDays } from './visitor-days.ts';

const rowsAtOnce = 2_000;
/** More, because for each step all visitors of the day are read once. */
const linkRowsAtOnce = 8_192;

/** Deletes the visitors of whole days that are stored in rows. `cursor` is the previous link of an organization. */
export const eraseVisitors: StepOf = async (queries, input) => {
  const days = wholeDays(input.scope, input.requestedAt);
  if (days.from >= days.to) return { cursor: null };
  const { owner } = input.scope;
  return owner.kind === 'link'
    ? eraseLinkVisitors(queries, input.scope, owner.id, days)
    : eraseOrganizationVisitors(queries, input, days);
};

async function eraseOrganizationVisitors(
  queries: Queries,
  { scope, cursor }: StepInput,
  days: Days,
): Promise<StepResult> {
  const links = await ownLinksAfter(queries, scope, cursor);
  const owners = cursor > 0 ? links : [-scope.organizationId, ...links];
  if (owners.length === 0) return { cursor: null };
  const deleted = await deleteSome(queries, owners, days, rowsAtOnce);
  return { cursor: deleted.length === rowsAtOnce ? cursor : (links.at(-1) ?? null) };
}

async function eraseLinkVisitors(
  queries: Queries,
  { organizationId }: CorrectionScope,
  link: number,
  days: Days,
): Promise<StepResult> {
  await lockVisitorDays(queries, days);
  const deleted = await deleteSome(queries, [link], days, linkRowsAtOnce);
  for (const [day, rows] of Map.groupBy(deleted, ({ day }) => day)) {
    if (await hasRuns(queries, day)) continue;
    const visitors = rows.map(({ visitor }) => visitor);
    const lost = await forgetVisitors(queries, organizationId, day, visitors);
    const left = await countRows(
      queries.selectFrom('daily_visitors').where('day', '=', day).where('owner', '=', -organizationId),
    );
    const erased = { lost, kept: visitors.length - lost, left };
    await correctOrganizationVisitors(queries, organizationId, link, day, erased);
  }
  return { cursor: deleted.length === linkRowsAtOnce ? 0 : null };
}

async function deleteSome(queries: Queries, owners: readonly number[], days: Days, limit: number) {
  const { rows } = await sql<{ day: number; visitor: number }>`
    delete from daily_visitors where (day, owner, visitor) in (
      select day, owner, visitor from daily_visitors
      where day >= ${days.from} and day < ${days.to} and owner in (${sql.join(owners)}) limit ${sql.lit(limit)}
    ) returning day, visitor`.execute(queries);
  return rows;
}

/**
 * Deletes those of a link's erased visitors from its organization whom none of its links has. Returns how many they were. All
 * owners of a visitor belong to one organization (`visitorHash`), so there is no need to know its links, and one that has been
 * deleted counts too.
 */
async function forgetVisitors(
  queries: Queries,
  organization: number,
  day: number,
  visitors: readonly number[],
): Promise<number> {
  const erased = numbersIn(queries, visitors);
  const { rows } = await sql`
    delete from daily_visitors where day = ${day} and owner = ${-organization} and visitor in ${erased}
      and visitor not in (
        select visitor from daily_visitors where day = ${day} and owner > 0 and visitor in ${erased}
      ) returning day`.execute(queries);
  return rows.length;
}

/** A day has both rows and runs if its visitors didn't all fit into runs: then its organizations keep theirs. */
const hasRuns = async (queries: Queries, day: number): Promise<boolean> =>
  dialectOf(queries).partitions &&
  hasRow(queries.selectFrom('visitor_runs').select('id').where('day', '=', day).limit(1));
