import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Reader, type Response } from 'mmdb-lib';
import { countryCode, unknownCountry } from '../../rules/country.ts';
import { type KnownPlaceFields, type Place, regionCode, unknownPlace } from '../../rules/place.ts';

export type PlaceOf = (address: string) => Place;

/** A country file that can't be read. Its message is for the operator. */
export class CountryFileError extends Error {
  override readonly name = 'CountryFileError';
}

/**
 * Reads a whole .mmdb file (the bundled one: 5 MB, under 10 ms) and looks countries up in it, with regions and cities if it has them.
 * Networks that are in no public registry, including private and loopback ones, are in none of these files, so their country is
 * unknown.
 */
export function openCountryFile(path: string): PlaceOf {
  const reader = readDatabase(path);
  return (address) => {
    // An IPv4-mapped IPv6 address, which these files don't index.
    const plain = address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
    const version = isIP(plain);
    const isCovered = version === 4 || (version === 6 && reader.metadata.ipVersion === 6);
    return placeIn(isCovered ? reader.get(plain) : null);
  };
}

/** Samples addresses across the address space: a city file has a city for most of them. */
export function placesKnownIn(path: string): KnownPlaceFields {
  const placeOf = openCountryFile(path);
  let [regions, cities] = [false, false];
  for (let first = 1; first < 224; first++)
    for (let second = 0; second < 256; second += 16) {
      const { region, city } = placeOf(`${first}.${second}.0.1`);
      regions ||= region !== '';
      cities ||= city !== '';
      if (regions && cities) return { regions, cities };
    }
  return { regions, cities };
}

function readDatabase(path: string): Reader<Response> {
  let problem = 'cannot be read';
  try {
    const file = readFileSync(path);
    problem = 'is not a whole MaxMind database (.mmdb)';
    const reader = new Reader<Response>(file, { cache: new DecodedRecords() });
    reader.get('192.0.2.1');
    reader.get('2001:db8::1');
    return reader;
  } catch (cause) {
    throw new CountryFileError(`The country file ${path} ${problem}.`, { cause });
  }
}

/** A country file has a few hundred records, each decoded once; a city file has too many to keep them all. */
class DecodedRecords extends Map<string | number, unknown> {
  override set(offset: string | number, record: unknown): this {
    return this.size < 4_096 ? super.set(offset, record) : this;
  }
}

/** MaxMind and DB-IP nest the code; IPinfo and ip-location-db don't. */
function countryIn(record: unknown): string {
  if (!isRecord(record)) return unknownCountry;
  const country = isRecord(record.country) ? record.country.iso_code : record.country;
  return countryCode(record.country_code ?? country) ?? unknownCountry;
}

/** Regions only by code: their names differ from file to file. */
function placeIn(record: unknown): Place {
  if (!isRecord(record)) return unknownPlace;
  const country = countryIn(record);
  return { country, region: regionIn(record, country), city: textIn(record.city) };
}

/** MaxMind has a list of subdivisions, largest first; IPinfo has one code. Neither includes the country. */
function regionIn(record: Record<string, unknown>, country: string): string {
  const [largest] = Array.isArray(record.subdivisions) ? record.subdivisions : [];
  const code = isRecord(largest) ? largest.iso_code : record.region_code;
  if (typeof code !== 'string' || country === unknownCountry) return '';
  return regionCode(code.includes('-') ? code : `${country}-${code}`) ?? '';
}

/** MaxMind and DB-IP have names by language; others have the English one only. */
function textIn(city: unknown): string {
  const name = isRecord(city) ? (isRecord(city.names) ? city.names.en : null) : city;
  return typeof name === 'string' ? name.trim() : '';
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/**
 * Opens the file at the first lookup. If it is missing or broken, that is reported once, and all countries are unknown from then
 * on.
 */
export function openLazily(open: () => PlaceOf, onProblem: (problem: CountryFileError) => void): PlaceOf {
  let find: PlaceOf | null = null;
  return (address) => {
    try {
      find ??= open();
      return find(address);
    } catch (cause) {
      find = () => unknownPlace;
      const isKnown = cause instanceof CountryFileError;
      onProblem(isKnown ? cause : new CountryFileError('The country file is broken.', { cause }));
      return unknownPlace;
    }
  };
}
