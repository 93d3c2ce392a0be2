import { outcomes, targets } from './codes.ts';
import type { RawHit } from './enrich.ts';

/**
 * The journal's bytes. A record holds the hits of one tick: its length, a checksum, and the hits as text, a field a
 * line. No field can hold a line break: they come from HTTP headers, a URL and an address.
 */
const head = 8;
const fieldsOfHit = 12;
const longest = { userAgent: 512, language: 256, referer: 2_048, query: 4_096, purpose: 64 } as const;
const doNotTrack = 'n';

export function hitText(hit: RawHit): string {
  const outcome = outcomes.indexOf(hit.outcome);
  const target = targets.indexOf(hit.target ?? 'none');
  const marks = hit.doNotTrack ? doNotTrack : '';
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

/** The hits of a whole record. */
export function readRecord(bytes: Buffer, at: number, size: number, into: RawHit[]): void {
  const fields = bytes.toString('utf8', at + head, at + size).split('\n');
  for (let first = 0; first + fieldsOfHit <= fields.length; first += fieldsOfHit) {
    into.push(hitOf(fields, first));
  }
}

function hitOf(fields: readonly string[], first: number): RawHit {
  const field = (index: number) => fields[first + index] ?? '';
  const codes = field(3);
  const target = targets[Number(codes[1])] ?? 'none';
  return {
    at: Number(field(0)),
    linkId: Number(field(1)),
    organizationId: Number(field(2)),
    outcome: outcomes[Number(codes[0])] ?? 'redirect',
    target: target === 'none' ? null : target,
    method: field(4),
    address: field(5),
    userAgent: field(6),
    acceptLanguage: field(7),
    referer: field(8),
    query: field(9),
    purpose: field(10),
    doNotTrack: codes.endsWith(doNotTrack),
    countryHint: field(11),
  };
}
