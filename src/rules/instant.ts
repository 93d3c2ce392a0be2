import { minuteLength } from './durations.ts';

const isoForm =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

const earliest = Date.parse('0000-01-01T00:00:00.000Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Parses an ISO 8601 date or date-time; without an offset it is UTC, a date alone is its first instant. Returns epoch
 * milliseconds, or null for anything that isn't a real instant (such as 30 February).
 */
export function parseInstant(text: string): number | null {
  const match = isoForm.exec(text.trim());
  if (!match) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = match;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}`;
  const instant = Date.parse(`${local}Z`);
  // Date.parse rolls some impossible days over into the next month: a real date formats as it was written.
  if (Number.isNaN(instant) || new Date(instant).toISOString() !== `${local}Z`) return null;
  const shift = offsetMinutes(offset);
  if (shift === null) return null;
  const shifted = instant - shift * minuteLength;
  // Beyond these years a date is formatted in a way that this function can't parse.
  return shifted < earliest || shifted > latest ? null : shifted;
}

function offsetMinutes(offset: string): number | null {
  if (offset === 'Z' || offset === 'z') return 0;
  const digits = offset.slice(1).replace(':', '');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2) || '0');
  if (hours > 15 || minutes > 59) return null;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** The format of `created_at`: YYYY-MM-DD_HH-MM-SS in UTC. */
export function formatStamp(instant: number): string {
  const iso = formatIso(instant);
  return `${iso.slice(0, 10)}_${iso.slice(11, 13)}-${iso.slice(14, 16)}-${iso.slice(17, 19)}`;
}

export const formatIso = (instant: number): string => new Date(instant).toISOString();

export const formatIsoOrNull = (instant: number | null): string | null =>
  instant === null ? null : formatIso(instant);
