import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { markOf } from '../auth/master-key.ts';
import { Secrets } from '../auth/secrets.ts';
import {
  type BackupHeader,
  BackupProblem,
  type BackupStream,
  type BackupTarget,
} from '../backup/backup-stream.ts';
import { withHitsFor } from '../backup/external-hits.ts';
import { PostgresTarget } from '../backup/postgres-target.ts';
import { openBackup, restore } from '../backup/restore.ts';
import { SqliteTarget } from '../backup/sqlite-target.ts';
import { refuseTerminal } from '../backup/write-backup.ts';
import { lockDataFolder } from '../compose/server-lock.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/options.ts';
import { clickServerName } from '../rules/clicks-url.ts';
import { isTransient } from '../rules/transient-error.ts';
import { sqliteTodo } from '../storage/sqlite-todo.ts';
import { existingKey, prepareFolder, replaceKey } from '../store.ts';
import { Log } from '../telemetry/log.ts';
import { onlyArgument, type StandaloneCommand } from './command.ts';
import { explainStoreError } from './explain-store-error.ts';

export const restoreBackup: StandaloneCommand = {
  name: 'restore',
  usage:
    'restore FILE [--lost-key]   (restores a backup into an empty store; "-" for a pipe; --lost-key: with a new secret key)',
  options: { 'lost-key': { type: 'boolean' } },
  async run(call) {
    const config = loadConfig(call.environment);
    const file = onlyArgument(call, 'The backup to restore, or - for a pipe,');
    if (file === '-') refuseTerminal(0);
    const dataDir = resolve(config.dataDir);
    await prepareFolder(dataDir);
    const log = new Log('error');
    // While the restore runs, no server starts on this folder.
    using _lock = await lockDataFolder(config, log);
    const isKeyLost = call.values['lost-key'] === true;
    // One that can't be used would otherwise only be noticed once the store is there.
    const key = await existingKey(config);
    await using opened = new AsyncDisposableStack();
    const target = opened.adopt(await targetOf(config, dataDir), (target) => target.close());
    const backup = opened.adopt(await openBackup(file === '-' ? file : resolve(file), new Date()), (backup) =>
      backup.close(),
    );
    if (!isKeyLost) requireKeyOf(backup.header, key, dataDir);
    const rows = await restore(await withHits(backup, config), target).catch((cause) => {
      throw restoreProblem(config, dataDir, cause);
    });
    if (isKeyLost) await replaceKey(config, log);
    process.stdout.write(
      `Restored ${rows.toLocaleString('en')} rows, as they were at ${backup.header.madeAt}. What was deleted or revoked since then is there again.\n`,
    );
    return 0;
  },
};

/** What the disk refuses while a SQLite store is written. */
function restoreProblem(config: Config, dataDir: string, cause: unknown): unknown {
  if (config.databaseUrl !== null || !isTransient(cause)) return cause;
  const { message } = cause as Error;
  const todo = sqliteTodo(join(dataDir, 'linnet.sqlite'), message);
  return new BackupProblem(`The backup could not be restored: ${message}.${todo}`);
}

/** With CLICKS_URL, individual clicks are restored to that server. */
async function withHits(backup: BackupStream, config: Config): Promise<BackupStream> {
  if (config.clicksUrl === null) return withHitsFor(backup, null);
  const { ClickhouseClient } = await import('../ledger/clickhouse/clickhouse-client.ts');
  const { HitImport } = await import('../ledger/clickhouse/hit-import.ts');
  const sink = await HitImport.open(new ClickhouseClient(config.clicksUrl), randomUUID());
  if (sink !== null) return withHitsFor(backup, sink);
  throw new BackupProblem(
    `The database of ClickHouse at ${clickServerName(config.clicksUrl)} has individual clicks already. Restore into an empty one: make it with "create database", and set CLICKS_URL to it.`,
  );
}

async function targetOf(config: Config, dataDir: string): Promise<BackupTarget> {
  if (config.databaseUrl === null) return new SqliteTarget(join(dataDir, 'linnet.sqlite'));
  return explainStoreError(config, PostgresTarget.open(config.databaseUrl));
}

/** Before anything is written: a store without its key would refuse to start. */
function requireKeyOf({ keyMark }: BackupHeader, key: string | null, dataDir: string): void {
  if (keyMark === null) return;
  if (key !== null && markOf(new Secrets(key)) === keyMark) return;
  throw new BackupProblem(
    `${key === null ? 'The secret key of this backup is not here' : 'This backup belongs to another secret key'}: put the secret.key that was kept apart into ${dataDir}, or set SECRET_KEY. If it is lost, add --lost-key: webhook keys are forgotten then.`,
  );
}
