import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, mkdir, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { createMasterKey, findMasterKey, markOf, requireMasterKey, strayBlanks } from './auth/master-key.ts';
import { Secrets } from './auth/secrets.ts';
import { copyBeforeUpgrade } from './backup/before-upgrade.ts';
import { shellCommand } from './bundle/shell-command.ts';
import type { Config } from './config/options.ts';
import { lostStoreAdvice, lostStoreMessage, traceOfLostStore } from './journal/lost-store.ts';
import {
  hasClicksOfOther,
  otherStoreAdvice,
  otherStoreMessage,
  storeMarkIn,
  writeStoreMark,
} from './journal/store-mark.ts';
import { clickServerName } from './rules/clicks-url.ts';
import { databaseProblem } from './rules/database-todo.ts';
import { serverName, serversOf } from './rules/database-url.ts';
import { StoreUnavailable } from './rules/errors.ts';
import { folderTodo } from './rules/folder-todo.ts';
import { isTransient } from './rules/transient-error.ts';
import { StartProblem } from './start-problem.ts';
import { reorderCertificates } from './storage/certificates.ts';
import type { Database } from './storage/database.ts';
import { WrongEncoding } from './storage/encoding.ts';
import { hasHits } from './storage/has-hits.ts';
import { forgetSealedKeys } from './storage/links/links.ts';
import type { BeforeUpgrade } from './storage/migrate.ts';
import { hitLocation, hitStoreId, hitTablesMade } from './storage/moved-hits.ts';
import { openDatabase } from './storage/open.ts';
import { makeAllPrivate } from './storage/private-files.ts';
import { claimSetting, findSetting, keyFingerprintSetting, replaceSetting } from './storage/settings.ts';
import { sqliteTodo } from './storage/sqlite-todo.ts';
import { storeIdOf } from './storage/store-id.ts';
import type { Log } from './telemetry/log.ts';

/** Closes its database when it is disposed of. */
export interface Store extends AsyncDisposable {
  readonly database: Database;
  readonly secrets: Secrets;
}

/** Opens everything persistent: the data folder, the master key, the database. */
export async function openStore(
  config: Config,
  log: Log,
  key: 'require_key' | 'replace_key' = 'require_key',
): Promise<Store> {
  const dataDir = resolve(config.dataDir);
  await prepareFolder(dataDir);
  // It may be on another disk: otherwise its absence would only be noticed with the first click.
  if (config.visitorSaltDir !== null)
    await makeWritable(resolve(config.visitorSaltDir), 'folder', 'VISITOR_SALT_DIR');
  requireNoLostStore(config);
  const found = await existingKey(config);
  const database = await open(config, dataDir, log);
  try {
    const secrets = new Secrets(found ?? (await newKey(config, database, key)));
    if (key === 'require_key') await requireSameKey(database, secrets, config);
    await requireOwnJournals(database, dataDir);
    const close = () => database.close();
    return { database: await withHits(database, config, log), secrets, [Symbol.asyncDispose]: close };
  } catch (cause) {
    await database.close();
    throw cause;
  }
}

/**
 * Connects to ClickHouse if individual clicks are stored there. Once they are, they must stay there: a node that stored them in
 * another database would count half of them. While that server is down, only queries for individual clicks fail, and new ones wait in
 * the journal.
 */
async function withHits(database: Database, { clicksUrl }: Config, log: Log): Promise<Database> {
  const { storeId: known, hasTables, move } = await hitLocation(database.read);
  if (clicksUrl === null) {
    if (known === null) return database;
    throw new StartProblem(
      'The individual clicks of this database are in ClickHouse. Set CLICKS_URL to it, as on the other nodes.',
    );
  }
  if (move !== null)
    throw new StartProblem(
      `Individual clicks are being moved to ClickHouse. Wait until "${shellCommand('clicks move')}" is done; if it has ended, run it again.`,
    );
  if (known === null && (await hasHits(database.read)))
    throw new StartProblem(
      `CLICKS_URL is set, and the database has individual clicks. Move them with "${shellCommand('clicks move')}", and leave CLICKS_URL out until then.`,
    );
  await database.write((queries) => claimSetting(queries, hitStoreId, randomUUID()));
  const storeId = (await hitLocation(database.read)).storeId;
  const { ClickhouseHits, TablesLost } = await import('./ledger/clickhouse/clickhouse-hits.ts');
  const hits = ClickhouseHits.of(clicksUrl);
  try {
    await hits.prepare(storeId ?? '', hasTables);
    if (!hasTables) await database.write((queries) => replaceSetting(queries, hitTablesMade, storeId ?? ''));
  } catch (cause) {
    const name = clickServerName(clicksUrl);
    if (!(cause instanceof StoreUnavailable))
      throw new StartProblem(`ClickHouse at ${name} cannot be used: ${reason(cause)}. Check CLICKS_URL.`);
    const todo = cause instanceof TablesLost ? { to_do: lostTablesTodo() } : {};
    log.warn('clicks server away', { server: name, error: cause.message, ...todo });
  }
  return { ...database, hits };
}

/** Redirects go on meanwhile. */
const lostTablesTodo = (): string =>
  `Bring its data back (is its volume mounted?), or correct CLICKS_URL and start again. If it is lost, run "${shellCommand('clicks start-empty')}", and start a node again: totals stay.`;

/** The database's own files are made private where it is opened. */
const filesInDataDir = [
  'secret.key',
  'server.lock',
  'server.json',
  'node.id',
  'journal',
  'journal-unused',
  'journal-damaged',
  'backups',
  'visitor-salts',
];

/** What a start needs to write; it says by itself if it can't read the key. */
const written = [
  'linnet.sqlite',
  'linnet.sqlite-wal',
  'linnet.sqlite-shm',
  'server.lock',
  'node.id',
  'journal',
  'journal-unused',
  'visitor-salts',
];

export async function prepareFolder(dataDir: string): Promise<void> {
  // A file of variables for docker keeps quotes and blanks, and a new folder would hide the data in the intended one.
  if (/["'\s]$/.test(dataDir) && !existsSync(dataDir))
    throw new StartProblem(
      `There is no data folder ${dataDir}, and its name ends with a quote or a blank. Set DATA_DIR without it.`,
    );
  if (dataDir.split(sep).includes('~') && !existsSync(dataDir))
    throw new StartProblem(
      `There is no data folder ${dataDir}: "~" stands for the home folder only where a shell reads it, not in a file of settings. Set DATA_DIR to the whole path.`,
    );
  await makeWritable(dataDir, 'data folder', 'DATA_DIR');
  makeAllPrivate(dataDir, filesInDataDir);
  for (const name of written) await requireAccess(join(dataDir, name));
  const journals = join(dataDir, 'journal');
  const found = await stat(journals).catch(() => null);
  if (found && !found.isDirectory())
    throw new StartProblem(`${journals} is no folder, and clicks are recorded in it. Move it elsewhere.`);
}

/** A command or a server that ran as another user may have left files that this one can't use. */
async function requireAccess(path: string): Promise<void> {
  const { R_OK, W_OK } = constants;
  try {
    await access(path, R_OK | W_OK);
  } catch (cause) {
    if (['EACCES', 'EPERM'].includes((cause as NodeJS.ErrnoException).code ?? ''))
      throw foreignFile(path, 'read and written');
  }
}

const foreignFile = (path: string, use: string): StartProblem =>
  new StartProblem(
    `${path} can not be ${use} by the user that Linnet runs as. Make that user the owner of everything in its folder (chown -R).`,
  );

async function makeWritable(folder: string, name: string, variable: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw unwritable(name, folder, cause, variable);
  }
}

const unwritable = (name: string, folder: string, cause: unknown, variable: string): StartProblem =>
  new StartProblem(
    `The ${name} ${folder} can not be written (${reason(cause)}). ${folderTodo((cause as NodeJS.ErrnoException).code, variable)}`,
  );

/** Runs what writes a small file. Not every error of a write names the file: that of a full disk doesn't. */
async function writeIn(dataDir: string, write: () => unknown): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw isTransient(cause) ? unwritable('data folder', dataDir, cause, 'DATA_DIR') : cause;
  }
}

/** An empty store is only made in a folder that never had one. */
export function requireNoLostStore({ databaseUrl, dataDir }: Config): void {
  const folder = resolve(dataDir);
  const trace = databaseUrl === null ? traceOfLostStore(folder) : null;
  if (trace !== null)
    throw new StartProblem(
      `${lostStoreMessage(folder, trace)} ${lostStoreAdvice(shellCommand('restore FILE'))}`,
    );
}

/** Null if there is none yet: none is created. */
export async function existingKey({ secretKey, dataDir }: Config): Promise<string | null> {
  try {
    return await findMasterKey(secretKey, resolve(dataDir));
  } catch (cause) {
    throw keyProblem(cause, dataDir);
  }
}

/** A database that belongs to a key gets no other one by itself: the wrong key would take the place of the missing one. */
async function newKey(
  config: Config,
  database: Database,
  key: 'require_key' | 'replace_key',
): Promise<string> {
  const dataDir = resolve(config.dataDir);
  const hasKey = (await findSetting(database.read, keyFingerprintSetting)) !== null;
  // Another process on this folder may have created it before it marked the database.
  const found = await existingKey(config);
  if (found !== null) return found;
  if (hasKey && key === 'require_key')
    throw new StartProblem(
      `secret.key is missing in ${dataDir}, and this database belongs to one. Put it back, copy it from the data folder of the first node, or set SECRET_KEY to the same value everywhere; if the key is lost, run "${shellCommand('secret replace')}".`,
    );
  await writeIn(dataDir, () => createMasterKey(dataDir));
  return requireMasterKey(null, dataDir);
}

function keyProblem(cause: unknown, dataDir: string): StartProblem {
  const file = join(resolve(dataDir), 'secret.key');
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return foreignFile(file, 'read');
  const todo = code === undefined ? '' : ` Put the right key into ${file}, or set SECRET_KEY.`;
  return new StartProblem(`The secret key cannot be used: ${reason(cause)}.${todo}`);
}

async function open(config: Config, dataDir: string, log: Log): Promise<Database> {
  try {
    return await openDatabase(
      config.databaseUrl,
      dataDir,
      (cause) => log.warn('database connection lost', { error: cause.message }),
      {
        pool: config.databasePool,
        onEnded(cause) {
          // The server's supervisor restarts it. Nothing that was answered is lost.
          log.error('database thread ended', cause);
          process.exit(1);
        },
        before: beforeUpgrade(config, dataDir, log),
        waits: (holders) => log.warn('tables wait for a lock', { held_by: holders }),
      },
    );
  } catch (cause) {
    if (cause instanceof StartProblem) throw cause;
    if (cause instanceof WrongEncoding) throw new StartProblem(cause.message);
    throw storeProblem(config, cause);
  }
}

/** Why the store can't be opened, and what to do. */
export function storeProblem({ databaseUrl, dataDir }: Config, cause: unknown): StartProblem {
  if (databaseUrl === null) {
    const folder = resolve(dataDir);
    return new StartProblem(
      `The SQLite file in ${folder} can not be opened: ${reason(cause)}.${sqliteTodo(join(folder, 'linnet.sqlite'), reason(cause))}`,
    );
  }
  const { hasAnswered, todo } = databaseProblem(cause);
  const isUnavailable = cause instanceof StoreUnavailable && !hasAnswered;
  return new StartProblem(
    `The database at ${databaseName(databaseUrl)} can not be ${isUnavailable ? 'reached' : 'used'}: ${reason(cause)}. ${todo}`,
  );
}

/** For messages: without a user and a password. */
export function databaseName(databaseUrl: string): string {
  const servers = serversOf(databaseUrl) ?? [databaseUrl];
  return `${servers.map(serverName).join(' or ')}${new URL(servers[0] ?? databaseUrl).pathname}`;
}

/** On PostgreSQL the tables are changed without a backup: it is large, and is made by other means than this program. */
function beforeUpgrade(
  { databaseUrl, backupBeforeUpgrade }: Config,
  dataDir: string,
  log: Log,
): BeforeUpgrade | null {
  if (backupBeforeUpgrade === 'off') return null;
  if (databaseUrl === null)
    return copyBeforeUpgrade(dataDir, (file) => log.info('copied before the upgrade', { file }));
  return async (_database, from, to) =>
    log.warn('tables are changed', {
      from,
      to,
      backup: `none was made: "${shellCommand('backup FILE')}" or pg_dump makes one before an upgrade`,
    });
}

/** A node with another key would issue tokens that the others refuse, and could not decrypt what they sealed. */
async function requireSameKey(database: Database, secrets: Secrets, { secretKey }: Config): Promise<void> {
  const mark = markOf(secrets);
  await database.write((queries) => claimSetting(queries, keyFingerprintSetting, mark));
  if ((await findSetting(database.read, keyFingerprintSetting)) !== mark) {
    throw new StartProblem(
      `This database belongs to another secret key.${strayBlanks(secretKey)} Copy secret.key from the data folder of the first node, or set SECRET_KEY to the same value everywhere; if the key is lost, run "${shellCommand('secret replace')}".`,
    );
  }
}

/** Folded into another store, clicks would be lost for the one that they belong to. */
async function requireOwnJournals(database: Database, dataDir: string): Promise<void> {
  if (hasClicksOfOther(dataDir, await storeIdOf(database, storeMarkIn(dataDir))))
    throw new StartProblem(`${otherStoreMessage(dataDir)} ${otherStoreAdvice}`);
}

/** Notes which store the clicks of this folder are for. Only the server does: a command may run as a user whose files it can't read. */
export async function claimJournals(database: Database, dataDir: string): Promise<void> {
  const mark = storeMarkIn(dataDir);
  const id = await storeIdOf(database, mark);
  if (mark !== id) await writeIn(dataDir, () => writeStoreMark(dataDir, id));
}

/** For a lost key: the store adopts the current one. What the former one sealed is deleted. */
export async function replaceKey(config: Config, log: Log): Promise<void> {
  await using store = await openStore(config, log, 'replace_key');
  await store.database.write(async (queries) => {
    await replaceSetting(queries, keyFingerprintSetting, markOf(store.secrets));
    await forgetSealedKeys(queries);
    await reorderCertificates(queries, Date.now());
  });
}

function reason(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  return (message || code || String(cause)).split('\n', 1)[0] ?? '';
}
