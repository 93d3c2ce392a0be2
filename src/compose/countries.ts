import { resolve } from 'node:path';
import { bundledCountryFile } from '../bundle/located.ts';
import type { Config } from '../config/options.ts';
import { openCountryFile, whenAsked } from '../ledger/geo.ts';
import { memoize } from '../structures/memoize.ts';
import type { Log } from '../telemetry/log.ts';

const maxNetworks = 16_384;

/** The countries of networks as `networkOf` writes them. The file is opened for the first link that asks. */
export function countriesOf(
  { countryFile }: Pick<Config, 'countryFile'>,
  log: Log,
): (network: string) => string {
  const countryOf = whenAsked(
    () => openCountryFile(countryFile === null ? bundledCountryFile() : resolve(countryFile)),
    (problem) => log.warn('countries unknown', { error: problem.message }),
  );
  return memoize(maxNetworks, (network) => countryOf(network.split('/')[0] ?? network));
}
