import { expect, test } from 'bun:test';
import { CopyOut } from './copy-out.ts';

const rows = [[Buffer.from([0, 255, 128]), null, Buffer.alloc(0)], [Buffer.alloc(300, 7)]] as const;

/** As the server sends them: a header with an extension of three bytes, rows, and the end. */
function copyData(): Buffer {
  const head = Buffer.concat([
    Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\x03', 'latin1'),
    Buffer.alloc(3),
  ]);
  const int16 = (value: number) => {
    const bytes = Buffer.alloc(2);
    bytes.writeInt16BE(value);
    return bytes;
  };
  const field = (bytes: Buffer | null) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(bytes?.length ?? -1);
    return Buffer.concat([length, bytes ?? Buffer.alloc(0)]);
  };
  return Buffer.concat([
    head,
    ...rows.map((fields) => Buffer.concat([int16(fields.length), ...fields.map(field)])),
    int16(-1),
  ]);
}

test('rows are read from chunks that end anywhere and whose memory is reused', async () => {
  const all = copyData();
  for (let size = 1; size <= all.length; size++) {
    const found: (number[] | null)[][] = [];
    const copy = new CopyOut('select', (fields) => found.push(fields.map((field) => field && [...field])));
    for (let at = 0; at < all.length; at += size) {
      const chunk = Buffer.from(all.subarray(at, at + size));
      copy.handleCopyData({ chunk });
      chunk.fill(0xee);
    }
    copy.handleReadyForQuery();
    await copy.done;
    expect(found).toEqual(rows.map((fields) => fields.map((field) => field && [...field])));
  }
});

test('an exception in the consumer fails the copy', async () => {
  const copy = new CopyOut('select', () => {
    throw new Error('no room');
  });
  copy.handleCopyData({ chunk: copyData() });
  copy.handleReadyForQuery();
  await expect(copy.done).rejects.toThrow('no room');
});
