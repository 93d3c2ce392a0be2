/** Reads the journal in FOLDER while no file descriptors are free, except when a read has failed. */
import { JournalReader } from '../../src/journal/reader.ts';
import { HitCursor } from '../../src/ledger/fold/hit-cursor.ts';
import { releaseDescriptors, takeDescriptors } from './free-descriptors.ts';

const reader = new JournalReader(process.env.FOLDER ?? '', { segment: 1, offset: 0 }, () => {});
const cursor = new HitCursor();
const refused: string[] = [];
const found: number[] = [];

/** Reads the hits of a record; false at the end of the journal. */
function readRecord(): boolean {
  const record = reader.next(null);
  if (record === null) return false;
  cursor.begin(record);
  while (cursor.next()) found.push(cursor.at);
  return true;
}

for (let hasMore = true; hasMore; ) {
  takeDescriptors();
  try {
    hasMore = readRecord();
  } catch (cause) {
    refused.push((cause as { code: string }).code);
    releaseDescriptors();
    hasMore = readRecord();
  }
}
process.stdout.write(JSON.stringify({ refused, found }));
