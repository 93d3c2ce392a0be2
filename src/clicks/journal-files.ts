import { Database } from 'bun:sqlite';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A place in a journal: a segment's number, and how many of its bytes come before. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

export const isBefore = (one: Position, other: Position): boolean =>
  one.segment < other.segment || (one.segment === other.segment && one.offset < other.offset);

/** The journal of one process: `<data folder>/journal/<node id>/<process id of ours>`. */
export interface JournalName {
  readonly node: string;
  readonly process: string;
}

/** What the watermark of this journal is kept under. */
export const watermarkKey = ({ node, process }: JournalName): string => `${node}/${process}`;

export const folderOf = (dataDir: string, { node, process }: JournalName): string =>
  join(dataDir, 'journal', node, process);

const randomName = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 16);

/** A journal of our own: two processes on one data folder never meet in it. */
export function newJournalName(dataDir: string): JournalName {
  const file = join(dataDir, 'node.id');
  if (!existsSync(file)) {
    try {
      writeFileSync(file, `${randomName()}\n`, { flag: 'wx', mode: 0o600 });
    } catch (cause) {
      if ((cause as { code?: string }).code !== 'EEXIST') throw cause;
    }
  }
  const node = readFileSync(file, 'utf8').trim();
  return { node: /^[\w-]{1,64}$/.test(node) ? node : randomName(), process: randomName() };
}

/** Every journal that this data folder holds, the living ones among them. */
export function journalsIn(dataDir: string): JournalName[] {
  const folder = join(dataDir, 'journal');
  return namesIn(folder).flatMap((node) => namesIn(join(folder, node)).map((process) => ({ node, process })));
}

function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

export interface Lock {
  release(): void;
}

/**
 * Holds a journal for as long as this process lives: SQLite's file lock, which the system itself takes back from the
 * dead. Null when somebody else holds it.
 */
export function lockJournal(folder: string): Lock | null {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new Database(join(folder, 'lock'), { create: true });
  try {
    database.run('begin exclusive');
    return { release: () => database.close() };
  } catch (cause) {
    database.close();
    if ((cause as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null;
    throw cause;
  }
}

export function removeJournal(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

const suffix = '.hits';

export const segmentFile = (folder: string, segment: number): string =>
  join(folder, `${String(segment).padStart(8, '0')}${suffix}`);

/** The numbers of the segments that are there, in order. */
export function segmentsIn(folder: string): number[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => /^\d+\.hits$/.test(name));
  return files.map((name) => Number(name.slice(0, -suffix.length))).sort((one, other) => one - other);
}
