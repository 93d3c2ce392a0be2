import { full, quick } from './effort.ts';
import { measureAgents } from './parts/agents.ts';
import { measureApi } from './parts/api.ts';
import { measureApiPostgres, measureApiSqlite } from './parts/api-calls.ts';
import { measureStatsCalls, measureStatsCallsPostgres } from './parts/asking.ts';
import { measureBulk } from './parts/bulk.ts';
import { measureClickhouse } from './parts/clickhouse.ts';
import { measureClickhouseMany } from './parts/clickhouse-many.ts';
import { measureFold, measureJournal } from './parts/clicks.ts';
import { measureFile } from './parts/file.ts';
import { measureFoldPostgres } from './parts/fold-postgres.ts';
import { measureLinkRows } from './parts/link-rows.ts';
import { measureNames } from './parts/names.ts';
import { measureNeighbours } from './parts/neighbours.ts';
import { measurePipelining } from './parts/pipelining.ts';
import { measureRedirect } from './parts/redirect.ts';
import { measureStats } from './parts/stats.ts';
import { measureStoreSize } from './parts/store-size.ts';
import { measureTenMillion } from './parts/ten-million.ts';
import { isQuickRun, printLine, printMachine, requestedParts, storeResults } from './results.ts';
import { formatReport } from './table.ts';

const timeout =
  (process.argv.some((word) => /^(ten_million|asking|asking_postgres|clickhouse|clickhouse_many)$/.test(word))
    ? 40
    : 20) *
  60 *
  1000;

setTimeout(() => {
  process.stderr.write('The bench takes far longer than expected: something hangs.\n');
  process.exit(1);
}, timeout).unref();

const effort = isQuickRun ? quick : full;
const machine = printMachine();

const parts = {
  bare_redirect: measureRedirect,
  journal: measureJournal,
  fold: measureFold,
  agents: measureAgents,
  api: measureApi,
  store_size: measureStoreSize,
  stats: measureStats,
};
/** These run only when named. */
const onRequest = {
  api_postgres: measureApiPostgres,
  api_sqlite: measureApiSqlite,
  asking: measureStatsCalls,
  asking_postgres: measureStatsCallsPostgres,
  bulk: measureBulk,
  clickhouse: measureClickhouse,
  clickhouse_many: measureClickhouseMany,
  ten_million: measureTenMillion,
  pipelining: measurePipelining,
  neighbours: measureNeighbours,
  fold_postgres: measureFoldPostgres,
  file: measureFile,
  link_rows: measureLinkRows,
  names: measureNames,
};
const requested = requestedParts({ ...parts, ...onRequest });
for (const [name, measure] of Object.entries({ ...parts, ...onRequest })) {
  if (requested.length > 0 ? !requested.includes(name) : name in onRequest) continue;
  const report = await measure(effort);
  printLine(formatReport(report));
  if (effort.isQuick) continue;
  const file = name.replaceAll('_', '-');
  await storeResults(file, { date: new Date().toISOString(), machine, [name]: report.figures });
  printLine(`Stored in bench/results/${file}.json.`);
}
