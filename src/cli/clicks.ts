import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { shellCommand } from '../bundle/shell-command.ts';
import { loadConfig } from '../config/load.ts';
import type { ClickServer } from '../rules/clicks-url.ts';
import { Refusal } from '../rules/errors.ts';
import type { Database } from '../storage/database.ts';
import { hasHits } from '../storage/has-hits.ts';
import { hitLocation, hitTablesMade } from '../storage/moved-hits.ts';
import { openDatabase } from '../storage/open.ts';
import { deleteSetting } from '../storage/settings.ts';
import type { StandaloneCommand } from './command.ts';
import { explainStoreError } from './explain-store-error.ts';
import { requireStore } from './require-store.ts';

const again = `Run "${shellCommand('clicks move')}" again: it goes on where it was.`;

export const clicks: StandaloneCommand = {
  name: 'clicks',
  usage:
    'clicks move|start-empty   (move: moves individual clicks from PostgreSQL to the ClickHouse of CLICKS_URL, while nodes run; run it again to continue, and to delete them from PostgreSQL; start-empty: lets a node that waits for lost individual clicks in ClickHouse, or the next that starts, go on without them)',
  options: {},
  async run({ environment, words }) {
    const [action = ''] = words;
    if (words.length !== 1 || !['move', 'start-empty'].includes(action))
      throw new Refusal('FIELD_INVALID', 'Type clicks move, or clicks start-empty.');
    const config = loadConfig(environment);
    if (config.clicksUrl === null)
      throw new Refusal(
        'FIELD_MISSING',
        'Set CLICKS_URL to the ClickHouse that is to have individual clicks.',
      );
    await requireStore(config);
    const opened = openDatabase(config.databaseUrl, resolve(config.dataDir), () => {});
    const database = await explainStoreError(config, opened);
    try {
      return await (action === 'move' ? move(database, config.clicksUrl) : startEmpty(database));
    } finally {
      await database.close();
    }
  },
};

/** Loaded only when needed. */
const loadParts = async () => ({
  ...(await import('../ledger/clickhouse/clickhouse-client.ts')),
  ...(await import('../ledger/clickhouse/move-hits.ts')),
});

async function move(database: Database, server: ClickServer): Promise<number> {
  const { ClickhouseClient, deleteMoved, MoveProblem, moveHits } = await loadParts();
  const location = await hitLocation(database.read);
  if (location.storeId !== null && location.move === null) {
    const isLeft = await hasHits(database.read);
    if (isLeft) await deleteMoved(database);
    printLine(
      isLeft
        ? 'Individual clicks that were moved are deleted from PostgreSQL.'
        : 'All individual clicks are in ClickHouse already.',
    );
    return 0;
  }
  try {
    const { hits } = await moveHits({
      database,
      client: new ClickhouseClient(server),
      now: Date.now,
      newStoreId: randomUUID,
      onProgress: (moved, upTo, newest) =>
        printLine(
          `${formatCount(moved)} moved, up to ${formatCount(Math.min(upTo, newest))} of ${formatCount(newest)} ids.`,
        ),
    });
    printLine(`${formatCount(hits)} individual clicks were moved, and ClickHouse has all of them.`);
    printLine(
      'Now set CLICKS_URL on every node and start it again: until then its new clicks wait in its journal, and it shows no single ones that came since.',
    );
    printLine(
      `PostgreSQL keeps what was moved for a day, for nodes that were not started again; "${shellCommand('clicks move')}" deletes it at once.`,
    );
    return 0;
  } catch (cause) {
    const { message } = cause as Error;
    printLine(cause instanceof MoveProblem ? message : `This broke off: ${message}. ${again}`);
    return 1;
  }
}

async function startEmpty(database: Database): Promise<number> {
  const { storeId } = await hitLocation(database.read);
  if (storeId === null)
    throw new Refusal('FIELD_INVALID', 'The individual clicks of this database are not in ClickHouse.');
  await database.write((queries) => deleteSetting(queries, hitTablesMade));
  printLine(
    'A node that waits for them, or the next that starts, creates the tables that are missing in ClickHouse, without earlier individual clicks. Totals stay.',
  );
  return 0;
}

const formatCount = (count: number): string => count.toLocaleString('en-US');

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
