import { shellCommand } from '../bundle/shell-command.ts';
import { clickServerName } from '../rules/clicks-url.ts';
import { ok, problem } from '../rules/finding.ts';
import { internalReadTerms } from '../storage/database.ts';
import { hitStoreId } from '../storage/moved-hits.ts';
import type { CheckContext, Findings } from './check-context.ts';

/** Milliseconds. */
const timeout = 5_000;

/** No findings unless individual clicks are in ClickHouse. */
export async function clickServerFindings({
  config,
  store,
}: Pick<CheckContext, 'config' | 'store'>): Promise<Findings> {
  const { clicksUrl } = config;
  if (clicksUrl === null) return [];
  const { ClickhouseClient } = await import('../ledger/clickhouse/clickhouse-client.ts');
  const client = new ClickhouseClient(clicksUrl, { ...internalReadTerms, timeout });
  try {
    const [row] = await client.rows<{ version: string }>('select version() as version');
    // The check of the database itself reports its faults.
    const expected = await expectedStore(store).catch(() => null);
    const found = expected === null ? null : await client.stores();
    if (found?.some((id) => id !== expected?.id))
      return problem(
        `The database in ClickHouse at ${clickServerName(clicksUrl)} has the clicks of another store.`,
        'Set CLICKS_URL to the one of this store, and restart this node. Clicks wait in the journal.',
      );
    if (expected?.hasHits && found === null)
      return problem(
        `ClickHouse at ${clickServerName(clicksUrl)} has no tables, but individual clicks of this database were stored in it.`,
        `Bring back its data. Clicks wait in the journal until then. If it is lost, run "${shellCommand('clicks start-empty')}", and start a node again.`,
      );
    return ok(`ClickHouse ${row?.version} answers, for individual clicks.`);
  } catch (cause) {
    const why = (cause as Error).message.split('\n', 1)[0] ?? '';
    return problem(
      `The server of individual clicks at ${clickServerName(clicksUrl)} does not answer: ${why}.`,
      'Check CLICKS_URL, and that ClickHouse runs. Clicks wait in the journal.',
    );
  }
}

/** The id that this store has in ClickHouse, and whether it had hits: ids are only given to hits once ClickHouse has its tables. */
async function expectedStore(store: CheckContext['store']) {
  if (store?.kind !== 'postgres') return null;
  const [row] = await store.query(
    `select value, (select newest > 0 from hit_ids) as has_hits from settings where key = '${hitStoreId}'`,
  );
  return row === undefined ? null : { id: row.value, hasHits: row.has_hits === true };
}
