import { createReadStream } from 'node:fs';
import { suggestedName } from '../api/field-names.ts';
import { linkColumns } from '../api/link-export.ts';
import { readInput } from '../api/read-input.ts';
import { LinkToCreate } from '../api/schemas/link.ts';
import { TagToRename } from '../api/schemas/tag.ts';
import type { Context } from '../manage/context.ts';
import { createLinks } from '../manage/links/create-links.ts';
import type { LinkToCreate as LinkInput } from '../manage/links/prepare-link.ts';
import { createTag, deleteUnusedTags, readTags } from '../manage/tags.ts';
import type { Caller } from '../rules/access.ts';
import { unguarded } from '../rules/csv.ts';
import { Refusal } from '../rules/errors.ts';
import { tagNames } from '../rules/tag-list.ts';
import { foldCase } from '../rules/text.ts';
import { accountOf } from './account-of.ts';
import { type Command, type CommandResult, required } from './command.ts';
import { type CsvRow, csvRows } from './csv-rows.ts';

const perTransaction = 1_000;
const maxShown = 20;
/** Of Ctrl-C, of a service manager or `timeout`, and of a terminal that is closed. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const linkFields: ReadonlySet<string> = new Set(Object.keys(LinkToCreate.shape));
/** Boolean cells. */
const flags: ReadonlySet<string> = new Set(
  Object.entries(LinkToCreate.shape).flatMap(([name, field]) => (field.safeParse(true).success ? name : [])),
);
/** The others of an export are ignored. */
const knownColumns: readonly string[] = [...new Set([...linkFields, ...linkColumns])];
const numbers: ReadonlySet<string> = new Set(['redirect_status', 'click_limit']);
/** Spaces around their cells, as after a comma, are not part of the value. */
const trimmed: ReadonlySet<string> = new Set([
  ...['has_password', 'forward_query', 'qr_code_foreground_hex', 'qr_code_background_hex'],
  ...flags,
  ...numbers,
]);

export const importLinks: Command = {
  name: 'links import',
  usage: 'links import --email ADDRESS --file FILE.csv   (columns as in GET /api/v1/link.csv; - for a pipe)',
  options: { email: { type: 'string' }, file: { type: 'string' } },
  async run(context, values) {
    const user = await accountOf(context, required(values, 'email'));
    const caller = {
      userId: user.id,
      organizationId: user.organization_id,
      role: user.role,
      via: 'import' as const,
    };
    const file = required(values, 'file');
    const progress: Progress = { created: 0, refused: 0, problems: [], line: 0 };
    const interrupt = (_: string, signal: number) => {
      process.stderr.write(`The import was interrupted. ${madeSoFar(progress)}\n`);
      process.exit(128 + signal);
    };
    for (const signal of endingSignals) process.once(signal, interrupt);
    const chunks = file === '-' ? createReadStream('', { fd: 0, autoClose: false }) : createReadStream(file);
    try {
      return await importFrom(context, caller, csvRows(textOf(chunks)), progress);
    } catch (cause) {
      throw brokenOff(cause, file, progress);
    } finally {
      for (const signal of endingSignals) process.off(signal, interrupt);
    }
  },
};

interface Progress {
  /** How many links are stored. */
  created: number;
  refused: number;
  /** Of the first lines that were refused. */
  readonly problems: string[];
  /** That of the last row that was tried. */
  line: number;
}

/** Why the import did not reach the end of the file, and what was made until then. */
function brokenOff(cause: unknown, file: string, progress: Progress): unknown {
  const { message, syscall } = cause as Error & { syscall?: string };
  if (cause instanceof SyntaxError || syscall !== undefined) {
    const made =
      progress.line === 0
        ? 'Nothing was made.'
        : `Of the lines up to ${progress.line}, ${linksOf(progress.created)} had been made.${refusalsOf(progress)}`;
    return new Refusal(
      'FIELD_INVALID',
      `${file === '-' ? 'What came through the pipe' : file} can not be read: ${message}. ${made}`,
    );
  }
  if (cause instanceof Refusal && progress.line === 0) return cause;
  return new Error(`${message}. ${madeSoFar(progress)}`, { cause });
}

/** The next lines may be stored too: their transaction runs, or its answer was lost. */
function madeSoFar(progress: Progress): string {
  const [lines, rest] =
    progress.line === 0
      ? ['', 'the file again']
      : [`; the last of their lines is ${progress.line}`, 'the lines after that'];
  const advice = `Before you import ${rest}, look whether the first of those links is there already.`;
  return `Made ${linksOf(progress.created)} so far${lines}.${refusalsOf(progress)}\n${advice}`;
}

const linksOf = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'link' : 'links'}`;

/** With other bytes, names would be stored with characters that nobody can read. */
async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new SyntaxError('it is not in UTF-8; save it as CSV in UTF-8');
    }
  };
  for await (const chunk of chunks) yield decode(chunk);
  yield decode();
}

async function importFrom(
  context: Context,
  caller: Caller,
  rows: AsyncGenerator<CsvRow, void, undefined>,
  progress: Progress,
): Promise<CommandResult> {
  const header = readHeader((await rows.next()).value?.cells ?? []);
  const tags = tagFinder(context, caller);
  let batchRows: CsvRow[] = [];
  const flush = async () => {
    const inputs: (LinkInput | Refusal)[] = [];
    for (const row of batchRows) inputs.push(await inputOf(header, row, tags.idsOf));
    const outcomes = await createLinks(context, caller, inputs, {
      read: (input) => input,
      hasPassword: (input) => !(input instanceof Refusal) && Boolean(input.password),
      withPng: true,
      atomic: false,
      maxPasswords: Number.POSITIVE_INFINITY,
    });
    for (const [index, outcome] of outcomes.entries()) {
      if (!(outcome instanceof Refusal)) progress.created++;
      else if (++progress.refused <= maxShown)
        progress.problems.push(`\n  Line ${batchRows[index]?.line}: ${problemsOf(outcome)}`);
    }
    progress.line = batchRows.at(-1)?.line ?? progress.line;
    await tags.deleteUnused(
      new Set(outcomes.flatMap((one) => (one instanceof Refusal ? [] : one.tags.map(({ id }) => id)))),
    );
    batchRows = [];
  };
  for await (const row of rows) {
    // Spreadsheets write a row that was emptied as commas.
    if (row.cells.every((cell) => cell.trim() === '')) continue;
    batchRows.push(row);
    if (batchRows.length === perTransaction) await flush();
  }
  if (batchRows.length > 0) await flush();
  return {
    output: `Made ${linksOf(progress.created)}.${refusalsOf(progress)}\n`,
    exitCode: progress.refused === 0 ? 0 : 1,
  };
}

/** Otherwise a misspelt column would be left out silently: with "pasword", links would be made without their passwords. */
function readHeader(cells: readonly string[]): readonly string[] {
  const header = cells.map((name) => name.trim());
  const unknown = [...new Set(header)].filter((name) => name !== '' && !knownColumns.includes(name));
  const isMissing = !header.includes('destination_url');
  const meant = new Map(unknown.map((name) => [name, suggestedName(name, [...linkFields])]));
  if (isMissing && ![...meant.values()].includes('destination_url')) {
    throw new Refusal(
      'FIELD_MISSING',
      'The first line must name the columns, separated by commas, and destination_url must be among them.',
    );
  }
  const twice = header.find((name, index) => name !== '' && header.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Refusal(
      'FIELD_INVALID',
      `The first line names the column "${twice}" twice. Remove one of them.`,
    );
  }
  if (meant.size === 0) return header;
  const names = [...meant].map(([name, field]) =>
    field === null ? `"${name}"` : `"${name}" (did you mean "${field}"?)`,
  );
  throw new Refusal(
    'FIELD_UNKNOWN',
    `Links have no such column: ${names.join(', ')}. Correct the first line, or remove the column. Nothing was made.`,
  );
}

/** With the columns that they are about, which most sentences name themselves. */
function problemsOf({ problems }: Refusal): string {
  const shown = problems.map(({ field, sentence }) =>
    field === undefined || sentence.includes(`"${field}"`) ? sentence : `${field}: ${sentence}`,
  );
  return shown.join(' ');
}

function refusalsOf({ refused, problems }: Progress): string {
  if (refused === 0) return '';
  const rest = refused > problems.length ? `\n  … and ${refused - problems.length} more.` : '';
  return ` Not made: ${refused.toLocaleString('en')}.${problems.join('')}${rest}`;
}

async function inputOf(
  header: readonly string[],
  { cells }: CsvRow,
  tagIdsOf: (names: string) => Promise<number[]>,
): Promise<LinkInput | Refusal> {
  if (cells.length > header.length) {
    return new Refusal(
      'FIELD_INVALID',
      `It has ${cells.length} cells, and the first line names ${header.length} columns. Put a cell that contains a comma into quotes.`,
    );
  }
  const fields: Record<string, unknown> = {};
  let hadPassword = false;
  for (const [index, name] of header.entries()) {
    const text = unguarded(cells[index] ?? '');
    // Without its password a link would be public.
    const isBlank = name !== 'password' && text.trim() === '';
    const cell = isBlank || trimmed.has(name) ? text.trim() : text;
    if (name === '' && cell !== '')
      return new Refusal('FIELD_INVALID', `Its column ${index + 1} has no name in the first line.`);
    if (name === 'has_password') hadPassword = cell !== '' && flagOf(cell) !== false;
    if (cell === '' || !linkFields.has(name)) continue;
    if (name === 'tags') {
      const ids = await tagIdsOf(cell).catch(asRefusal);
      if (ids instanceof Refusal) return ids;
      fields.tags = ids;
    } else if (name === 'rules') fields[name] = parsed(cell);
    else if (numbers.has(name)) fields[name] = numberOf(cell);
    else if (name === 'aliases') fields[name] = cell.split(/\s+/).filter((alias) => alias !== '');
    else if (name === 'webhook_events')
      fields[name] = cell === 'none' ? [] : cell.split(',').map((event) => event.trim());
    else fields[name] = flags.has(name) ? flagOf(cell) : cell;
  }
  if (hadPassword && fields.password === undefined) {
    return new Refusal(
      'FIELD_MISSING',
      'It had a password (has_password), which an export does not contain. Write one into a column password, or empty has_password to make the link public.',
    );
  }
  return readInput(LinkToCreate, fields);
}

/** Other texts are left for validation to reject: reading "yes" as false would be wrong. */
function flagOf(cell: string): boolean | string {
  if (/^(?:true|1)$/i.test(cell)) return true;
  return /^(?:false|0)$/i.test(cell) ? false : cell;
}

/** Likewise: nobody means 16 by "0x10", or 1,000 by "1e3". */
const numberOf = (cell: string): number | string => (/^\d+$/.test(cell) ? Number(cell) : cell);

/** Invalid JSON is refused like any other wrong value. */
function parsed(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

function asRefusal(cause: unknown): Refusal {
  if (cause instanceof Refusal) return cause;
  throw cause;
}

/** Finds the organization's tags by name; missing ones are created. */
function tagFinder(context: Context, caller: Caller) {
  const read = async () => {
    const tags = await readTags(context, caller);
    return new Map(tags.map((tag) => [foldCase(tag.name), tag.id]));
  };
  let known: Map<string, number> | undefined;
  /** Since the last call of `deleteUnused`. */
  const created = new Map<string, number>();
  const idOf = async (name: string): Promise<number> => {
    known ??= await read();
    const existing = known.get(foldCase(name));
    if (existing !== undefined) return existing;
    const input = readInput(TagToRename, { name });
    // Links have a column "name", too.
    if (input instanceof Refusal)
      throw new Refusal(input.code, input.sentence.replace('"name"', 'A tag in "tags"'));
    try {
      const { id } = await createTag(context, caller, input.name);
      known.set(foldCase(name), id);
      created.set(foldCase(name), id);
      return id;
    } catch (cause) {
      if (!(cause instanceof Refusal) || cause.code !== 'TAG_EXISTS') throw cause;
      // It was created since the tags were read.
      known = await read();
      const id = known.get(foldCase(name));
      if (id === undefined) throw cause;
      return id;
    }
  };
  const idsOfNames = async (names: string): Promise<number[]> => {
    const ids: number[] = [];
    for (const name of tagNames(names)) ids.push(await idOf(name));
    return ids;
  };
  /** Those that were created for lines that were refused. */
  const deleteUnused = async (used: ReadonlySet<number>): Promise<void> => {
    const unused = [...created].filter(([, id]) => !used.has(id));
    created.clear();
    for (const [name] of unused) known?.delete(name);
    await deleteUnusedTags(
      context,
      caller,
      unused.map(([, id]) => id),
    );
  };
  return { idsOf: idsOfNames, deleteUnused };
}
