import { type Destination, parseDestination } from '../rules/destination.ts';
import { Refusal } from '../rules/errors.ts';

export function requireDestination(
  text: string,
  field: string,
  appSchemes: readonly string[] = [],
): Destination {
  const parsed = parseDestination(text, field, appSchemes);
  if (!parsed.ok) throw new Refusal(parsed.problem.code, parsed.problem.sentence, { field });
  return parsed;
}

export const destinationIsOurs = (field: string): Refusal =>
  new Refusal(
    'DESTINATION_IS_OURS',
    'This address is itself on a short domain of this service. Give the final address.',
    { field },
  );
