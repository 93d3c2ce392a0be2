import type { Watermark } from '../../storage/journal-watermarks.ts';
import type { ClickhouseClient } from './clickhouse-client.ts';
import { uncountedBatches } from './uncounted-batches.ts';

const linesAtOnce = 4_096;

/**
 * The hits that these watermarks count, unsorted, as lines of JSON. Batches are listed before their hits are inserted, so the list
 * has all uncounted hits that the export may read.
 */
export async function* exportHits(
  client: ClickhouseClient,
  columns: readonly string[],
  watermarks: readonly Watermark[],
  now: number,
): AsyncGenerator<readonly string[]> {
  const before = await uncountedBatches(client, watermarks, now);
  const lines = await client.lines(
    `select ${columns.join(', ')} from hits where id > 0 format JSONCompactEachRow`,
  );
  const uncounted = [...before, ...(await uncountedBatches(client, watermarks, now))];
  const isCounted = (line: string): boolean => {
    const id = Number.parseInt(line.slice(1), 10);
    return uncounted.every(({ firstId, lastId }) => id < firstId || id > lastId);
  };
  let some: string[] = [];
  for await (const line of lines) {
    // An error in the middle of an answer arrives as a line of text.
    if (!/^\[\d+(, ?-?\d+)*\]$/.test(line)) throw new Error(`ClickHouse: ${line.slice(0, 500)}`);
    if (uncounted.length === 0 || isCounted(line)) some.push(line);
    if (some.length < linesAtOnce) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
