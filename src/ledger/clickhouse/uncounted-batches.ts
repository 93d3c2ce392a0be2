import { dayLength } from '../../rules/durations.ts';
import type { Watermark } from '../../storage/journal-watermarks.ts';
import type { UncountedBatch } from '../external-hits.ts';
import { watermarkRetention } from '../fold-store.ts';
import type { ClickhouseClient } from './clickhouse-client.ts';
import { quoted } from './clickhouse-tables.ts';

/** The name of moved hits in the list of batches: all of them are counted. */
const movedJournal = 'moved';

/** Milliseconds for which watermarks outlive the time that this code relies on. */
const margin = dayLength;

/**
 * Batches whose hits were inserted by an attempt that was not committed in the database, or not yet. A journal without a watermark
 * was never counted, unless its watermark has expired.
 */
export function uncountedBatches(
  client: ClickhouseClient,
  watermarks: readonly Watermark[],
  now: number,
): Promise<readonly UncountedBatch[]> {
  const isRecent = `foldedAt > ${Math.trunc(now - watermarkRetention + margin)}`;
  // A list of values must not be empty.
  const known = [{ journal: '', segment: 0, offset: 0 }, ...watermarks].map(
    ({ journal, segment, offset }) => `(${quoted(journal)}, ${segment}, ${offset})`,
  );
  return client.rows(
    `select journal, segment, offset, firstId, lastId, foldedAt
     from (
       select journal, segment, byte_offset as offset, first_id as firstId, last_id as lastId, folded_at as foldedAt
       from hit_batches where journal != ${quoted(movedJournal)}
     ) as batches
     left join (select * from values('name String, mark_segment UInt64, mark_offset UInt64', ${known.join(', ')})) as marks
       on marks.name = batches.journal
     where if(name = '', ${isRecent}, (segment, offset) >= (mark_segment, mark_offset)) order by firstId`,
  );
}

/** Records that all hits up to this id are stored and counted: new ids begin above it. */
export async function noteMoved(client: ClickhouseClient, newestId: number, now: number): Promise<void> {
  const [row] = await client.rows<{ batches: number }>(
    `select count() as batches from hit_batches where journal = ${quoted(movedJournal)}`,
  );
  if (row === undefined || row.batches > 0) return;
  await client.run(
    `insert into hit_batches (journal, segment, byte_offset, first_id, last_id, instants, folded_at)
     values (${quoted(movedJournal)}, 0, 0, 1, ${newestId}, [], ${Math.trunc(now)})`,
  );
}
