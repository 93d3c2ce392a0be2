/** Reads the journal in FOLDER while no file descriptors are free, except when a read has failed. */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { JournalReader } from '../../src/journal/reader.ts';
import { HitCursor } from '../../src/ledger/hit-cursor.ts';

const taken: number[] = [];

function takeAll(): void {
  try {
    for (;;) taken.push(openSync(devNull, 'r'));
  } catch {
    // None is left.
  }
}

const giveBack = () => {
  for (const descriptor of taken.splice(0)) closeSync(descriptor);
};

const reader = new JournalReader(process.env.FOLDER ?? '', { segment: 1, offset: 0 }, () => {});
const cursor = new HitCursor();
const refused: string[] = [];
const found: number[] = [];
for (takeAll(); ; takeAll()) {
  try {
    const record = reader.next(null);
    if (record === null) break;
    cursor.begin(record);
    while (cursor.next()) found.push(cursor.at);
  } catch (cause) {
    refused.push((cause as { code: string }).code);
    giveBack();
    const record = reader.next(null);
    if (record === null) break;
    cursor.begin(record);
    while (cursor.next()) found.push(cursor.at);
  }
}
process.stdout.write(JSON.stringify({ refused, found }));
