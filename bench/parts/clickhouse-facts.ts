import { askClickhouse } from '../../test/support/clickhouse.ts';

const pause = 500;
/** Looks in a row at which nothing was merged. */
const quietLooks = 6;

/** Until parts that came in small have been merged, as far as ClickHouse wants to. */
export async function mergesDone(url: string): Promise<void> {
  const sql =
    'select (select count() from system.merges) + (select count() from system.mutations where not is_done) format TabSeparated';
  for (let quiet = 0; quiet < quietLooks; await Bun.sleep(pause))
    quiet = numberIn(await askClickhouse(url, sql)) === 0 ? quiet + 1 : 0;
}

/** Of hits and what is known of their insertion, with all that belongs to their parts. */
export const bytesInClickhouse = (url: string): Promise<number> =>
  factOf(url, "select sum(bytes_on_disk) from system.parts where active and table like 'hit%'");

/** Of those, of the copies in other orders. */
export const bytesInProjections = (url: string): Promise<number> =>
  factOf(url, "select sum(bytes_on_disk) from system.projection_parts where active and table = 'hits'");

const factOf = async (url: string, sql: string): Promise<number> =>
  numberIn(await askClickhouse(url, `${sql} and database = currentDatabase() format TabSeparated`));

const numberIn = (text: string): number => Number(text.replaceAll('"', ''));
