import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BackupProblem, type BackupStream } from '../backup/backup-stream.ts';
import type { HitSource } from '../backup/external-hits.ts';
import { noteBackup } from '../backup/last-backup.ts';
import { externalStoreId, readPostgres } from '../backup/postgres-source.ts';
import { readSqlite } from '../backup/sqlite-source.ts';
import { refuseTerminal, writeToFile, writeToPipe } from '../backup/write-backup.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/options.ts';
import { onlyArgument, type StandaloneCommand } from './command.ts';
import { explainStoreError } from './explain-store-error.ts';

export const backup: StandaloneCommand = {
  name: 'backup',
  usage:
    'backup FILE [--without-clicks]   (writes everything in the database, while the server runs; "-" for a pipe; without the secret key; --without-clicks: without individual clicks in ClickHouse)',
  options: { 'without-clicks': { type: 'boolean' } },
  async run(call) {
    const config = loadConfig(call.environment);
    const file = onlyArgument(call, 'The file to write, or - for a pipe,');
    if (file === '-') refuseTerminal(1);
    const hits = await hitsOf(config, call.values['without-clicks'] === true);
    const source = await open(config, hits.source);
    try {
      if (file === '-') await writeToPipe(source);
      else await writeToFile(source, resolve(file));
    } finally {
      await source.close();
    }
    await noteBackup(config.databaseUrl, resolve(config.dataDir), Date.now());
    process.stderr.write(
      file === '-'
        ? 'The backup is complete. Keep the secret key apart from it.\n'
        : `The backup is in ${resolve(file)}. Keep the secret key (${placeOfKey(config)}) apart from it.\n`,
    );
    if (hits.areMissing)
      process.stderr.write(
        'It is WITHOUT individual clicks, which are in ClickHouse: back them up with its "backup database".\n',
      );
    return 0;
  },
};

/** `source` is null if the database has the hits, or if they are to be left out. */
async function hitsOf(
  config: Config,
  withoutClicks: boolean,
): Promise<{ readonly source: HitSource | null; readonly areMissing: boolean }> {
  const storeId =
    config.databaseUrl === null ? null : await explainStoreError(config, externalStoreId(config.databaseUrl));
  if (storeId === null) return { source: null, areMissing: false };
  if (withoutClicks) return { source: null, areMissing: true };
  if (config.clicksUrl === null)
    throw new BackupProblem(
      'The individual clicks of this database are in ClickHouse. Set CLICKS_URL to have them in the backup, or add --without-clicks.',
    );
  const { ClickhouseClient } = await import('../ledger/clickhouse/clickhouse-client.ts');
  const { exportHits } = await import('../ledger/clickhouse/hit-export.ts');
  const client = new ClickhouseClient(config.clicksUrl);
  client.verifyFirst(storeId);
  return {
    source: { rows: (columns, counted) => exportHits(client, columns, counted, Date.now()) },
    areMissing: false,
  };
}

async function open(config: Config, hits: HitSource | null): Promise<BackupStream> {
  if (config.databaseUrl === null)
    return readSqlite(join(resolve(config.dataDir), 'linnet.sqlite'), new Date());
  return explainStoreError(config, readPostgres(config.databaseUrl, new Date(), hits));
}

/** A machine that makes backups of PostgreSQL needs no key, and may have none. */
function placeOfKey({ secretKey, dataDir }: Config): string {
  if (secretKey !== null) return 'SECRET_KEY';
  const file = join(resolve(dataDir), 'secret.key');
  return existsSync(file) ? file : 'that of the nodes: there is none here';
}
