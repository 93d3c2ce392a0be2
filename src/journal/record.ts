/**
 * The journal's format. A record has the hits of one tick: its length, a checksum, and the hits as text, one field per
 * line. No field contains a line break: fields come from HTTP headers, a URL and an address.
 */
export const recordHeadLength = 8;
export const doNotTrackMark = 'n';
/**
 * Precedes a purpose, followed by the index of the header evidence: no header's value begins with a blank. Earlier versions take
 * both for a part of the purpose, in which they search for other words.
 */
export const evidenceMark = ' ';

/**
 * Follows the languages if client hints were sent, with their checksum in four characters of six bits each, from `0` on. It is
 * stored among the fields that are the same in every hit of a browser, which the fold compares as a whole; earlier versions read
 * the first language and ignore it.
 */
export const hintsDelimiter = ' ~';
export const hintsLength = hintsDelimiter.length + 4;

/**
 * Follows the country, and precedes the rule that chose the destination. A country contains no blank. Earlier versions take the
 * whole text for an unknown country, and look it up by address.
 */
export const ruleDelimiter = ' ';

/**
 * Separates the country and the rule from the alias. Neither a country nor an alias contains a blank. Earlier versions take the
 * text for an unknown country, and look it up by address.
 */
export const aliasDelimiter = '@';

/** Writes the length and the checksum in front of the hits. */
export function sealRecord(record: Buffer): void {
  record.writeUInt32LE(record.length - recordHeadLength, 0);
  record.writeUInt32LE(checksum(record.subarray(recordHeadLength)), 4);
}

const checksum = (bytes: Uint8Array): number => Bun.hash.crc32(bytes);

/** The length of the record that begins at `at`; 0 if there is no whole record: bytes are missing or damaged. */
export function wholeRecord(bytes: Buffer, at: number): number {
  const end = announcedEnd(bytes, at);
  if (end === null || end > bytes.length) return 0;
  return hasValidChecksum(bytes.subarray(at, end)) ? end - at : 0;
}

/** Whether the checksum matches everything after the head, regardless of the length in the head. */
export const hasValidChecksum = (record: Buffer): boolean =>
  checksum(record.subarray(recordHeadLength)) === record.readUInt32LE(4);

/** The end of the record that begins at `at`, according to its length; null if the length is missing. */
export function announcedEnd(bytes: Buffer, at: number): number | null {
  if (bytes.length - at < recordHeadLength) return null;
  const length = bytes.readUInt32LE(at);
  return length === 0 ? null : at + recordHeadLength + length;
}

/** The hits of a whole record, in place: `HitCursor` reads them. */
export interface RecordBytes {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

export const recordBytes = (bytes: Buffer, at: number, size: number): RecordBytes => ({
  bytes,
  from: at + recordHeadLength,
  to: at + size,
});
