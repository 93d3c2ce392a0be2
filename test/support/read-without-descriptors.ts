/** Reads the journal in FOLDER while no file descriptors are free, except when a read has failed. */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { JournalReader } from '../../src/journal/reader.ts';
import { HitCursor } from '../../src/ledger/fold/hit-cursor.ts';

const descriptors: number[] = [];

function openAll(): void {
  try {
    for (;;) descriptors.push(openSync(devNull, 'r'));
  } catch {
    // None is left.
  }
}

const closeAll = () => {
  for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
};

const reader = new JournalReader(process.env.FOLDER ?? '', { segment: 1, offset: 0 }, () => {});
const cursor = new HitCursor();
const refused: string[] = [];
const found: number[] = [];
for (openAll(); ; openAll()) {
  try {
    const record = reader.next(null);
    if (record === null) break;
    cursor.begin(record);
    while (cursor.next()) found.push(cursor.at);
  } catch (cause) {
    refused.push((cause as { code: string }).code);
    closeAll();
    const record = reader.next(null);
    if (record === null) break;
    cursor.begin(record);
    while (cursor.next()) found.push(cursor.at);
  }
}
process.stdout.write(JSON.stringify({ refused, found }));
