/**
 * The journal's bytes. A record holds the hits of one tick: its length, a checksum, and the hits as text, a field a
 * line. No field can hold a line break: they come from HTTP headers, a URL and an address.
 */
export const recordHead = 8;
export const doNotTrackMark = 'n';

/** Writes a record's beginning, in front of its hits. */
export function sealRecord(record: Buffer): void {
  record.writeUInt32LE(record.length - recordHead, 0);
  record.writeUInt32LE(checksum(record.subarray(recordHead)), 4);
}

const checksum = (bytes: Uint8Array): number => Bun.hash.crc32(bytes);

/**
 * How many bytes the record that begins at `at` has; 0 when what is there is no whole record: bytes are missing, or
 * are others than those written.
 */
export function wholeRecord(bytes: Buffer, at: number): number {
  const end = announcedEnd(bytes, at);
  if (end === null || end > bytes.length) return 0;
  return isSummed(bytes.subarray(at, end)) ? end - at : 0;
}

/** Whether the checksum is that of all that follows the head, whatever length it says. */
export const isSummed = (record: Buffer): boolean =>
  checksum(record.subarray(recordHead)) === record.readUInt32LE(4);

/** Where the record that begins here would end; null when not even that is there. */
export function announcedEnd(bytes: Buffer, at: number): number | null {
  if (bytes.length - at < recordHead) return null;
  const length = bytes.readUInt32LE(at);
  return length === 0 ? null : at + recordHead + length;
}

/** What a whole record says, where it is: `HitCursor` reads it. */
export interface RecordBytes {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

export const recordBytes = (bytes: Buffer, at: number, size: number): RecordBytes => ({
  bytes,
  from: at + recordHead,
  to: at + size,
});
