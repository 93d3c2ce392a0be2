import { options } from '../config/options.ts';
import { invalidField } from '../rules/errors.ts';
import { Site } from '../rules/site.ts';
import type { Database } from '../storage/database.ts';
import type { Queries } from '../storage/schema.ts';
import { deleteSetting, findSetting, replaceSetting } from '../storage/settings.ts';

/** The public address, as set in the store. `BASE_URL` takes precedence. */
export const baseUrlSetting = 'base_url';

export const findBaseUrl = ({ lookup }: Pick<Database, 'lookup'>): Promise<string | null> =>
  findSetting(lookup, baseUrlSetting);

export const storeBaseUrl = (queries: Queries, url: string): Promise<void> =>
  replaceSetting(queries, baseUrlSetting, url);

export const forgetBaseUrl = (queries: Queries): Promise<void> => deleteSetting(queries, baseUrlSetting);

/** An address that may be stored: one that is useful beyond this machine. `name` is what errors call it. */
export function requireBaseUrl(text: string, name = '"base_url"'): string {
  const refuse = (sentence: string) => invalidField('base_url', sentence);
  let url: URL | null;
  try {
    url = options.baseUrl.parse(text);
  } catch (cause) {
    throw refuse(`${name} is no address of a service: ${(cause as Error).message}.`);
  }
  if (url === null) throw refuse('Give the address people reach, such as https://links.example.com.');
  if (new Site(url).isTrial)
    throw refuse(`${name} leads to this machine alone. Leave it out, or give another.`);
  return url.origin;
}
