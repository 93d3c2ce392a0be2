import { unknownCountry } from './country.ts';

/** The location of an address, as far as the country file knows it. */
export interface Place {
  /** ISO 3166 alpha-2, or XX. */
  readonly country: string;
  /** ISO 3166-2, such as DE-BY; '' if unknown. */
  readonly region: string;
  /** Its English name; '' if unknown. */
  readonly city: string;
}

export const unknownPlace: Place = { country: unknownCountry, region: '', city: '' };

/** What a country file contains besides countries. */
export interface KnownPlaceFields {
  readonly regions: boolean;
  readonly cities: boolean;
}

/** In upper case; null for an invalid region code. */
export function regionCode(text: string): string | null {
  const code = text.trim().toUpperCase();
  return /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(code) ? code : null;
}

/** A city as statistics store it: prefixed with its region or country, which distinguish it from others of its name. */
export const cityWord = ({ country, region, city }: Place): string =>
  city === '' ? '' : `${region || country}/${city}`;

export const isCityWord = (text: string): boolean => /^[A-Z]{2}(?:-[A-Z0-9]{1,3})?\//.test(text);

/** The name of such a city. */
export const cityNameOf = (word: string): string => word.slice(word.indexOf('/') + 1);

/** A city's name for comparison. */
export const cityKey = (name: string): string => name.normalize('NFC').toLowerCase();
