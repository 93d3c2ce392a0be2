import { mapInSlices } from '../manage/time-slice.ts';
import { type Cell, csvLine } from '../rules/csv.ts';
import { Reply } from './endpoint.ts';

interface Table<Row> {
  /** The file name that a browser saves it under. */
  readonly file: string;
  readonly columns: readonly string[];
  readonly batches: AsyncGenerator<readonly Row[], void, undefined>;
  readonly cellsOf: (row: Row) => readonly Cell[];
}

/** The common parts of endpoints that answer with a table. */
export const csvOutline = {
  description:
    'CSV as in RFC 4180, newest first, with a line of names. A text that a spreadsheet would take for a formula has a quote in front. If an export is interrupted, its connection ends without the last chunk.',
  streams: 'text/csv',
} as const;

/** The first batch is read before the answer begins, while the status can still report that the store is unavailable. */
export async function csvReply<Row>({
  file,
  columns,
  batches,
  cellsOf,
}: Table<Row>): Promise<Reply<unknown>> {
  const first = await batches.next();
  const linesOf = async (rows: readonly Row[]) =>
    (await mapInSlices(rows, (row) => csvLine(cellsOf(row)))).join('');
  async function* chunks() {
    yield csvLine(columns) + (await linesOf(first.value ?? []));
    for await (const rows of batches) if (rows.length > 0) yield await linesOf(rows);
  }
  const headers = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${file}"`,
  };
  return new Reply({ stream: { headers, chunks } });
}
