import type { Readable } from 'node:stream';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { newestMigration } from '../storage/newest-migration.ts';
import { type BackupPart, BackupProblem, type BackupStream, type Cells } from './backup-stream.ts';

/** Incremented when older programs can't read the new format. */
const format = 1;

const Header = z.object({
  linnet_backup: z.number(),
  database: z.enum(['sqlite', 'postgres']),
  migration: z.number(),
  made_at: z.string(),
  key_mark: z.nullable(z.string()),
});
const Table = z.object({ table: z.string(), columns: z.array(z.string()), bytes: z.array(z.string()) });
const Ids = z.object({ ids: z.record(z.string(), z.number()) });
const End = z.object({ rows: z.number(), sha256: z.string() });

/** No line is longer: rows are grouped up to a fraction of it, and a single row is far shorter. */
const maxLine = 64 * 1024 * 1024;

const damaged = (why: string) =>
  new BackupProblem(`The backup is cut off or damaged (${why}): nothing was restored. Take another one.`);

const notABackup = () => new BackupProblem('This is not a backup of Linnet.');

/**
 * The lines of a backup file before compression: JSON, first the header, last the number of rows and a checksum over everything
 * before it. A file without the last line is incomplete.
 */
export async function* linesOf({
  header,
  parts,
}: Pick<BackupStream, 'header' | 'parts'>): AsyncGenerator<string> {
  const hash = new Bun.CryptoHasher('sha256');
  const line = (text: string) => {
    hash.update(`${text}\n`);
    return `${text}\n`;
  };
  const { kind, migration, madeAt, keyMark } = header;
  yield line(
    JSON.stringify({ linnet_backup: format, database: kind, migration, made_at: madeAt, key_mark: keyMark }),
  );
  let rows = 0;
  for await (const part of parts) {
    if (part.part === 'rows') rows += part.count;
    yield line(textOf(part));
  }
  yield `${JSON.stringify({ rows, sha256: hash.digest('hex') })}\n`;
}

function textOf(part: BackupPart): string {
  if (part.part === 'rows') return part.json;
  if (part.part === 'ids') return JSON.stringify({ ids: part.last });
  return JSON.stringify({ table: part.name, columns: part.columns, bytes: part.bytes });
}

export const compressor = () =>
  createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
  });

/** Reads a backup from a file. No byte of it may have been read before. */
export async function readBackupFile(file: Readable): Promise<BackupStream> {
  const lines = linesIn(file);
  const hash = new Bun.CryptoHasher('sha256');
  const first = await lines.next();
  if (first.done) throw damaged('it ends within its first line');
  const header = Header.safeParse(parsed(first.value));
  if (!header.success) throw notABackup();
  hash.update(`${first.value}\n`);
  const { linnet_backup, database, migration, made_at, key_mark } = header.data;
  if (linnet_backup > format || migration > newestMigration)
    throw new BackupProblem(
      'This backup was made by a newer Linnet. Restore it with that version or a newer one.',
    );
  return {
    header: { kind: database, migration, madeAt: made_at, keyMark: key_mark },
    parts: partsIn(lines, hash),
    close: async () => void file.destroy(),
  };
}

async function* partsIn(lines: AsyncGenerator<string>, hash: Bun.CryptoHasher): AsyncGenerator<BackupPart> {
  let rows = 0;
  for await (const line of lines) {
    if (line.startsWith('[')) {
      const batch = rowsIn(line);
      rows += batch.length;
      hash.update(`${line}\n`);
      yield { part: 'rows', json: line, count: batch.length, rows: batch };
      continue;
    }
    const value = parsed(line);
    const end = End.safeParse(value);
    if (end.success) {
      if (end.data.rows !== rows || end.data.sha256 !== hash.digest('hex'))
        throw damaged('its checksum does not match');
      if (!(await lines.next()).done) throw damaged('there is data after its end');
      return;
    }
    hash.update(`${line}\n`);
    yield partOf(value);
  }
  throw damaged('its end is missing');
}

function partOf(value: unknown): BackupPart {
  const table = Table.safeParse(value);
  if (table.success) {
    const { columns, bytes } = table.data;
    return { part: 'table', name: table.data.table, columns, bytes };
  }
  const ids = Ids.safeParse(value);
  if (ids.success) return { part: 'ids', last: ids.data.ids };
  throw damaged('a line is not known');
}

function rowsIn(line: string): Cells[] {
  const rows = parsed(line);
  if (!Array.isArray(rows) || !rows.every((row) => Array.isArray(row))) throw damaged('a line is not known');
  return rows;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

async function* linesIn(file: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const unpacked = file.pipe(createZstdDecompress());
  // A read error must end the decompressor, too.
  file.on('error', (cause) => unpacked.destroy(cause));
  let rest: string[] = [];
  let length = 0;
  try {
    for await (const chunk of unpacked) {
      const text = decoder.decode(chunk as Uint8Array, { stream: true });
      const lines = text.split('\n');
      const last = lines.pop() ?? '';
      for (const line of lines) {
        yield rest.length > 0 ? rest.join('') + line : line;
        [rest, length] = [[], 0];
      }
      rest.push(last);
      length += last.length;
      if (length > maxLine) throw damaged('a line is too long');
    }
  } catch (cause) {
    if (cause instanceof BackupProblem) throw cause;
    const { code = '', message } = cause as { code?: string; message: string };
    if (code === 'ZSTD_error_prefix_unknown') throw notABackup();
    if (/^(ZSTD|Z_|ERR_)/.test(code) || /zstd|unexpected end|checksum/i.test(message)) throw damaged(message);
    throw cause;
  }
  if (rest.join('') !== '') throw damaged('its last line is cut off');
}
