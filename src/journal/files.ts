import {
  type Dirent,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** A position in a journal: a segment's number, and an offset in its bytes. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

export const isBefore = (one: Position, other: Position): boolean =>
  one.segment < other.segment || (one.segment === other.segment && one.offset < other.offset);

/** The journal of one process: `<data folder>/journal/<node id>/<process id>`, where the process id is one that we assign. */
export interface JournalName {
  readonly node: string;
  readonly process: string;
}

/** The key of this journal's watermark. */
export const watermarkKey = ({ node, process }: JournalName): string => `${node}/${process}`;

export const folderOf = (dataDir: string, { node, process }: JournalName): string =>
  join(dataDir, 'journal', node, process);

const randomName = (): string => crypto.randomUUID().replaceAll('-', '').slice(0, 16);

/** The id of this data folder. The first caller creates it. */
export function nodeIdIn(dataDir: string): string {
  const file = join(dataDir, 'node.id');
  const existing = readNodeId(file);
  if (existing !== null) return existing;
  writeId(file, randomName(), nameFile);
  return readNodeId(file) ?? randomName();
}

/** Null if the file is missing, or empty: a full disk could leave it so. */
function readNodeId(file: string): string | null {
  const node = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (node === '') return null;
  return /^[\w-]{1,64}$/.test(node) ? node : randomName();
}

/** Complete or not at all: it is written to a temporary file, synced, and only then gets its name. */
export function writeId(
  file: string,
  id: string,
  name: (temporaryFile: string, file: string) => void = renameSync,
): void {
  const temporaryFile = `${file}.${randomName()}`;
  try {
    writeFileSync(temporaryFile, `${id}\n`, { flag: 'wx', mode: 0o600, flush: true });
    name(temporaryFile, file);
  } finally {
    rmSync(temporaryFile, { force: true });
  }
}

/** A file of another process is kept, unless it is empty. */
function nameFile(temporaryFile: string, file: string): void {
  try {
    linkSync(temporaryFile, file);
  } catch (cause) {
    // Some file systems have no links.
    const isTaken = (cause as { code?: string }).code === 'EEXIST';
    if (!isTaken || readNodeId(file) === null) renameSync(temporaryFile, file);
  }
}

/** A new journal for this process, which no other process on the data folder uses. */
export const newJournalName = (dataDir: string): JournalName => ({
  node: nodeIdIn(dataDir),
  process: randomName(),
});

/** Every journal in this data folder, those of running processes included. */
export function journalsIn(dataDir: string): JournalName[] {
  const folder = join(dataDir, 'journal');
  return foldersIn(folder).flatMap((node) =>
    foldersIn(join(folder, node)).map((process) => ({ node, process })),
  );
}

/** The folders in a folder. */
export const foldersIn = (folder: string): string[] =>
  entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

export const filesIn = (folder: string): string[] =>
  entriesIn(folder)
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

/** Empty only if the folder doesn't exist: a folder that can't be read now may have entries. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    if ((cause as { code?: string }).code === 'ENOENT') return [];
    throw cause;
  }
}

const suffix = '.hits';

export const segmentFile = (folder: string, segment: number): string =>
  join(folder, `${String(segment).padStart(8, '0')}${suffix}`);

/** The numbers of the existing segments, in order. */
export function segmentsIn(folder: string): number[] {
  const files = entriesIn(folder).filter(({ name }) => /^\d+\.hits$/.test(name));
  return files.map(({ name }) => Number(name.slice(0, -suffix.length))).sort((one, other) => one - other);
}
