import type { ClickhouseClient } from '../ledger/clickhouse/clickhouse-client.ts';
import { clickServerName } from '../rules/clicks-url.ts';
import { type Finding, ok, problem } from '../rules/finding.ts';
import { internalReadTerms } from '../storage/database.ts';
import { hitStoreId } from '../storage/moved-hits.ts';
import type { CheckContext } from './check-context.ts';

/** Milliseconds. */
const timeout = 5_000;

/** No findings unless single clicks are in ClickHouse. */
export async function clickServerFindings({
  config,
  store,
}: Pick<CheckContext, 'config' | 'store'>): Promise<Finding[]> {
  const { clicksUrl } = config;
  if (clicksUrl === null) return [];
  const { ClickhouseClient } = await import('../ledger/clickhouse/clickhouse-client.ts');
  const client = new ClickhouseClient(clicksUrl, { ...internalReadTerms, timeout });
  try {
    const [row] = await client.rows<{ version: string }>('select version() as version');
    // The check of the database itself reports its faults.
    const hadHits = await hasStoredHits(store).catch(() => false);
    if (hadHits && !(await hasTables(client)))
      return [
        problem(
          `ClickHouse at ${clickServerName(clicksUrl)} has no tables, but single clicks of this database were stored in it.`,
          'Bring back its data before a node is restarted, which would create empty tables. Clicks wait in the journal.',
        ),
      ];
    return [ok(`ClickHouse ${row?.version} answers, for single clicks.`)];
  } catch (cause) {
    const why = (cause as Error).message.split('\n', 1)[0] ?? '';
    return [
      problem(
        `The server of single clicks at ${clickServerName(clicksUrl)} does not answer: ${why}.`,
        'Check CLICKS_URL, and that ClickHouse runs. Clicks wait in the journal.',
      ),
    ];
  }
}

/** Ids are only given to hits once ClickHouse has its tables. */
async function hasStoredHits(store: CheckContext['store']): Promise<boolean> {
  if (store?.kind !== 'postgres') return false;
  const found = await store.query(
    `select 1 from hit_ids where newest > 0 and exists (select 1 from settings where key = '${hitStoreId}')`,
  );
  return found.length > 0;
}

async function hasTables(client: ClickhouseClient): Promise<boolean> {
  const found = await client.rows(
    "select name from system.tables where database = currentDatabase() and name = 'hit_store'",
  );
  return found.length > 0;
}
