import { clickServerName } from '../rules/clicks-url.ts';
import { type Finding, ok, problem } from '../rules/finding.ts';
import { internalReadTerms } from '../storage/database.ts';
import type { CheckContext } from './check-context.ts';

/** Milliseconds. */
const timeout = 5_000;

/** No findings unless single clicks are in ClickHouse. */
export async function clickServerFindings({ config }: Pick<CheckContext, 'config'>): Promise<Finding[]> {
  const { clicksUrl } = config;
  if (clicksUrl === null) return [];
  const { ClickhouseClient } = await import('../ledger/clickhouse/clickhouse-client.ts');
  const client = new ClickhouseClient(clicksUrl, { ...internalReadTerms, timeout });
  try {
    const [row] = await client.rows<{ version: string }>('select version() as version');
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
