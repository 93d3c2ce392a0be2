import { outcomes, targets } from './codes.ts';
import type { RawHit } from './enrich.ts';

/**
 * The journal's bytes. A record holds the hits of one tick: its length, a checksum, and the hits as text, a field a
 * line. No field can hold a line break: they come from HTTP headers, a URL and an address.
 */
const head = 8;
const longest = { userAgent: 512, language: 256, referer: 2_048, query: 4_096, purpose: 64 } as const;
export const doNotTrackMark = 'n';

export function hitText(hit: RawHit): string {
  const outcome = outcomes.indexOf(hit.outcome);
  const target = targets.indexOf(hit.target ?? 'none');
  const marks = hit.doNotTrack ? doNotTrackMark : '';
  return `${hit.at}\n${hit.linkId}\n${hit.organizationId}\n${outcome}${target}${marks}\n${hit.method}\n${hit.address}\n${cut(hit.userAgent, longest.userAgent)}\n${cut(hit.acceptLanguage, longest.language)}\n${cut(hit.referer, longest.referer)}\n${cut(hit.query, longest.query)}\n${cut(hit.purpose, longest.purpose)}\n${hit.countryHint}\n`;
}

const cut = (text: string, most: number): string => (text.length > most ? text.slice(0, most) : text);

/** Writes a record with these hits to the beginning of `into`. Returns how long it is. */
export function writeRecord(into: Buffer, hits: string): number {
  const length = into.write(hits, head, 'utf8');
  into.writeUInt32LE(length, 0);
  into.writeUInt32LE(checksum(into.subarray(head, head + length)), 4);
  return head + length;
}

/** What `writeRecord` needs at the most. */
export const recordRoom = (hits: string): number => head + hits.length * 3;

const checksum = (bytes: Uint8Array): number => Bun.hash.crc32(bytes);

/**
 * How many bytes the record that begins at `at` has; 0 when what is there is no whole record: bytes are missing, or
 * are others than those written.
 */
export function wholeRecord(bytes: Buffer, at: number): number {
  const end = announcedEnd(bytes, at);
  if (end === null || end > bytes.length) return 0;
  return checksum(bytes.subarray(at + head, end)) === bytes.readUInt32LE(at + 4) ? end - at : 0;
}

/** Where the record that begins here would end; null when not even that is there. */
export function announcedEnd(bytes: Buffer, at: number): number | null {
  if (bytes.length - at < head) return null;
  const length = bytes.readUInt32LE(at);
  return length === 0 ? null : at + head + length;
}

/** What a whole record says, where it is: `HitCursor` reads it. */
export interface RecordBytes {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

export const recordBytes = (bytes: Buffer, at: number, size: number): RecordBytes => ({
  bytes,
  from: at + head,
  to: at + size,
});
