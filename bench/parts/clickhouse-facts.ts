import { queryClickhouse } from '../../test/support/clickhouse.ts';

const checkInterval = 500;
/** Merging counts as done after this many successive checks without a running merge. */
const idleChecks = 6;

/** Waits until ClickHouse has merged the small parts of insertions, as far as it does so by itself. */
export async function waitForMerges(url: string): Promise<void> {
  const sql =
    'select (select count() from system.merges) + (select count() from system.mutations where not is_done) format TabSeparated';
  for (let idle = 0; idle < idleChecks; await Bun.sleep(checkInterval))
    idle = numberIn(await queryClickhouse(url, sql)) === 0 ? idle + 1 : 0;
}

/** The size on disk of the hits and of the records of their insertion, with everything in their parts. */
export const bytesInClickhouse = (url: string): Promise<number> =>
  factOf(url, "select sum(bytes_on_disk) from system.parts where active and table like 'hit%'");

/** The part of it that the projections take: copies of the hits in other orders. */
export const bytesInProjections = (url: string): Promise<number> =>
  factOf(url, "select sum(bytes_on_disk) from system.projection_parts where active and table = 'hits'");

const factOf = async (url: string, sql: string): Promise<number> =>
  numberIn(await queryClickhouse(url, `${sql} and database = currentDatabase() format TabSeparated`));

const numberIn = (text: string): number => Number(text.replaceAll('"', ''));
