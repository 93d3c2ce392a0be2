import { join, resolve } from 'node:path';
import { BackupProblem, type BackupStream } from '../backup/backup-stream.ts';
import { noteBackup } from '../backup/last-backup.ts';
import { readPostgres } from '../backup/postgres-source.ts';
import { readSqlite } from '../backup/sqlite-source.ts';
import { refuseTerminal, writeToFile, writeToPipe } from '../backup/write-backup.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/options.ts';
import { storeProblem } from '../store.ts';
import { onlyArgument, type StandaloneCommand } from './command.ts';

export const backup: StandaloneCommand = {
  name: 'backup',
  usage:
    'backup FILE   (all of the database, beside the running server; "-" for a pipe; without the secret key)',
  options: {},
  async run(call) {
    const config = loadConfig(call.environment);
    const file = onlyArgument(call, 'The file to write, or - for a pipe,');
    if (file === '-') refuseTerminal(1);
    const source = await open(config);
    try {
      if (file === '-') await writeToPipe(source);
      else await writeToFile(source, resolve(file));
    } finally {
      await source.close();
    }
    await noteBackup(config.databaseUrl, resolve(config.dataDir), Date.now());
    process.stderr.write(
      file === '-'
        ? 'The backup is whole. Keep the secret key apart from it.\n'
        : `The backup is in ${resolve(file)}. Keep the secret key (${keyOf(config)}) apart from it.\n`,
    );
    return 0;
  },
};

async function open(config: Config): Promise<BackupStream> {
  const dataDir = resolve(config.dataDir);
  if (config.databaseUrl === null) return readSqlite(join(dataDir, 'linnet.sqlite'), new Date());
  try {
    return await readPostgres(config.databaseUrl, new Date());
  } catch (cause) {
    throw cause instanceof BackupProblem ? cause : storeProblem(config, dataDir, cause);
  }
}

const keyOf = ({ secretKey, dataDir }: Config): string =>
  secretKey === null ? join(resolve(dataDir), 'secret.key') : 'SECRET_KEY';
