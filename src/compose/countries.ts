import { resolve } from 'node:path';
import { bundledCountryFile } from '../bundle/module-urls.ts';
import type { Config } from '../config/options.ts';
import { CountryFileError, openCountryFile, openLazily, placesKnownIn } from '../ledger/fold/geo.ts';
import type { KnownPlaceFields, Place } from '../rules/place.ts';
import { lazy } from '../structures/lazy.ts';
import { memoize } from '../structures/memoize.ts';
import type { Log } from '../telemetry/log.ts';

const maxNetworks = 16_384;

/** The location of networks as `networkOf` writes them. The file is opened for the first link that needs it. */
export function placesOf({ countryFile }: Pick<Config, 'countryFile'>, log: Log): (network: string) => Place {
  const placeOf = openLazily(
    () => openCountryFile(countryFile === null ? bundledCountryFile() : resolve(countryFile)),
    (problem) => log.warn('countries unknown', { error: problem.message }),
  );
  return memoize(maxNetworks, (network) => placeOf(network.split('/')[0] ?? network));
}

const none: KnownPlaceFields = { regions: false, cities: false };

/** Whether the country file contains regions and cities: determined once, when first needed. The bundled file contains neither. */
export const placesKnown = ({ countryFile }: Pick<Config, 'countryFile'>): (() => KnownPlaceFields) =>
  lazy(() => {
    if (countryFile === null) return none;
    try {
      return placesKnownIn(resolve(countryFile));
    } catch (cause) {
      // It existed at the start.
      if (cause instanceof CountryFileError) return none;
      throw cause;
    }
  });
