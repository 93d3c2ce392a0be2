import { resolve } from 'node:path';
import { backupsIn, copySizeSql, freeRoom, megabytes } from '../backup/before-upgrade.ts';
import { migrationsOf, openReadOnlyStore, type ReadOnlyStore, rowsIn } from '../backup/read-only-store.ts';
import { durationOf, planUpgrade, type UpgradeStep } from '../backup/upgrade-plan.ts';
import { shellCommand } from '../bundle/shell-command.ts';
import { lockDataFolder } from '../compose/server-lock.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/options.ts';
import { Refusal } from '../rules/errors.ts';
import { lastExclusiveMigration, newerStore } from '../storage/migrate.ts';
import { newestMigration } from '../storage/newest-migration.ts';
import { openStore, requireNoLostStore } from '../store.ts';
import { Log } from '../telemetry/log.ts';
import { refuseArguments, type StandaloneCommand } from './command.ts';
import { explainStoreError } from './explain-store-error.ts';
import { requireStoreIn } from './require-store.ts';

export const upgrade: StandaloneCommand = {
  name: 'upgrade',
  usage: 'upgrade [--check]   (migrates the tables to this version; --check: only says what would change)',
  options: { check: { type: 'boolean' } },
  async run(call) {
    refuseArguments(call);
    const { environment, values } = call;
    const config = loadConfig(environment);
    if (values.check === true) return check(config);
    requireStoreIn(config);
    const log = new Log('info');
    using _lock = await lockDataFolder(config, log);
    const { database } = await openStore(config, log);
    await database.close();
    process.stdout.write(`The store is up to date (${newestMigration}).\n`);
    return 0;
  },
};

async function check(config: Config): Promise<number> {
  const dataDir = resolve(config.dataDir);
  await using store = await explainStoreError(config, openReadOnlyStore(config.databaseUrl, dataDir));
  const done = store === null ? 0 : await explainStoreError(config, migrationsOf(store));
  if (done === 0) requireNoLostStore(config);
  if (store === null) return print(`There is no store in ${dataDir} yet: the first start makes one.`);
  if (done === 0) return print('The store is empty: the first start makes its tables.');
  if (done > newestMigration) throw new Refusal('FIELD_INVALID', `Nothing can be done: ${newerStore}.`);
  if (done === newestMigration) return print(`The store is up to date (${done}). Nothing would change.`);
  const steps = await planUpgrade(store.kind, done, (table) => rowsIn(store, table));
  print(`The store is at ${done}, and this version has ${newestMigration}:\n\n${listed(steps)}`);
  const staysOnline = store.kind === 'postgres' && done >= lastExclusiveMigration;
  const meanwhile = staysOnline
    ? 'the node that does it answers 503, and the others go on'
    : 'everything is answered 503';
  print(`It takes ${durationOf(steps)}; meanwhile ${meanwhile}.`);
  return await printBackupStep(config, store, dataDir);
}

const listed = (steps: readonly UpgradeStep[]): string =>
  steps
    .map(({ number, changes, rows }) => {
      const head = `  ${number}: ${rows === 0 ? 'no rows are touched' : `${rows.toLocaleString('en')} rows are read or written`}\n`;
      return head + changes.map((change) => `       ${change}\n`).join('');
    })
    .join('');

async function printBackupStep(config: Config, store: ReadOnlyStore, dataDir: string): Promise<number> {
  if (store.kind === 'postgres')
    return print(
      `No backup is made by itself on PostgreSQL. Run: ${shellCommand('backup FILE')} (or pg_dump).`,
    );
  if (config.backupBeforeUpgrade === 'off')
    return print(`No copy is made (BACKUP_BEFORE_UPGRADE=off). Run: ${shellCommand('backup FILE')}`);
  const [row] = await store.query(copySizeSql);
  const [needed, free] = [Number(row?.bytes ?? 0), await freeRoom(dataDir)];
  print(
    `Before, the store is copied to ${backupsIn(dataDir)}: ${megabytes(needed)} of ${megabytes(free)} that are free.`,
  );
  if (needed <= free) return 0;
  print('That is too little: the start would stop. Make room, or set BACKUP_BEFORE_UPGRADE=off.');
  return 1;
}

function print(sentence: string): 0 {
  process.stdout.write(`${sentence}\n`);
  return 0;
}
