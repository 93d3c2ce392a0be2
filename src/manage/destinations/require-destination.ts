import { maximumBytes, parseDestination } from '../../rules/destinations/destination.ts';
import { hasUtmChanges, type UtmChanges, withUtm } from '../../rules/destinations/utm.ts';
import { Refusal } from '../../rules/errors.ts';
import type { Context } from '../context.ts';

export const destinationIsOurs = (field: string): Refusal =>
  new Refusal(
    'DESTINATION_IS_OURS',
    'This address is itself on a short domain of this service. Give the final address.',
    { field },
  );

export interface FoundDestination {
  readonly text: string;
  readonly host: string;
  readonly field: string;
}

/** A link to one of our own links could send visitors in circles, and hide where they end. */
export const destinationIn =
  (context: Pick<Context, 'config' | 'site'>, field: string) =>
  (text: string): FoundDestination => {
    const { text: stored, url } = parseDestination(text, field, context.config.appSchemes);
    if (context.site.leadsToUs(url)) throw destinationIsOurs(field);
    return { text: stored, host: url.hostname.replace(/\.$/, ''), field };
  };

/** A stored destination with the UTM parameters of a call, which are stored nowhere else. */
export function withUtmOf(destination: string, changes: UtmChanges): string {
  if (!hasUtmChanges(changes)) return destination;
  const changed = withUtm(destination, changes);
  if (changed.length <= maximumBytes) return changed;
  throw new Refusal(
    'FIELD_TOO_LONG',
    `With these UTM parameters the web address has more than ${maximumBytes} bytes.`,
    { field: 'destination_url' },
  );
}
