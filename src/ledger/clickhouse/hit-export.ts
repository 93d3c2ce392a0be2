import type { Watermark } from '../hits-elsewhere.ts';
import type { ClickhouseClient } from './clickhouse-client.ts';
import { uncountedBatches } from './uncounted-batches.ts';

const linesAtOnce = 4_096;

/**
 * The hits that are counted by these watermarks, in no order, as lines of JSON. The list of batches has hits before they come: what came
 * in before the table was begun to be read, and isn't counted, is in the list then.
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
    // An error in the middle of an answer comes as a line of text.
    if (!/^\[\d+(, ?-?\d+)*\]$/.test(line)) throw new Error(`ClickHouse: ${line.slice(0, 500)}`);
    if (uncounted.length === 0 || isCounted(line)) some.push(line);
    if (some.length < linesAtOnce) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
