import { unknownCountry } from './country.ts';

/** Where an address is, as far as the country file says. */
export interface Place {
  /** ISO 3166 alpha-2, or XX. */
  readonly country: string;
  /** ISO 3166-2, such as DE-BY; '' where none is known. */
  readonly region: string;
  /** Its English name; '' where none is known. */
  readonly city: string;
}

export const nowhere: Place = { country: unknownCountry, region: '', city: '' };

/** What a country file tells besides countries. */
export interface PlacesKnown {
  readonly regions: boolean;
  readonly cities: boolean;
}

/** In capitals; null for what is no code of a region. */
export function regionCode(text: string): string | null {
  const code = text.trim().toUpperCase();
  return /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(code) ? code : null;
}

/** A city as statistics keep it: behind its region or country, which tell it from others of its name. */
export const cityWord = ({ country, region, city }: Place): string =>
  city === '' ? '' : `${region || country}/${city}`;

export const isCityWord = (text: string): boolean => /^[A-Z]{2}(?:-[A-Z0-9]{1,3})?\//.test(text);

/** The name of such a city. */
export const cityNameOf = (word: string): string => word.slice(word.indexOf('/') + 1);

/** A city's name as names are compared. */
export const cityKey = (name: string): string => name.normalize('NFC').toLowerCase();
