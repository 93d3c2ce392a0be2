import type { Caller } from '../../rules/access.ts';
import { parseDestination } from '../../rules/destinations/destination.ts';
import { notFound } from '../../rules/errors.ts';
import { normaliseHostname } from '../../rules/host.ts';
import {
  findOwnDomainId,
  findVerifiedDomain,
  lockDomain,
  updateDomain as store,
} from '../../storage/domains.ts';
import { recordHostChange } from '../../storage/marked-changes.ts';
import type { Context } from '../context.ts';
import { destinationIsOurs } from '../destinations/require-destination.ts';
import { type DomainWithRecords, readDomain } from './read-domains.ts';

/** Absent: unchanged. Null or "": cleared. */
interface DomainUpdate {
  readonly root_url?: string | null | undefined;
  readonly not_found_url?: string | null | undefined;
}

export async function updateDomain(
  context: Context,
  caller: Caller,
  id: number,
  update: DomainUpdate,
): Promise<DomainWithRecords> {
  const { organizationId } = caller;
  const current = await readDomain(context, caller, id, context.database.lookup);
  const [root_url, not_found_url] = await Promise.all([
    fallbackUrl(context, caller, update.root_url, 'root_url'),
    fallbackUrl(context, caller, update.not_found_url, 'not_found_url'),
  ]);
  const changes = {
    ...(root_url === undefined ? {} : { root_url }),
    ...(not_found_url === undefined ? {} : { not_found_url }),
  };
  if (Object.keys(changes).length === 0) return current;
  const { host } = current.domain;
  await context.database.write(async (queries) => {
    if (!(await lockDomain(queries, organizationId, id))) throw notFound('domain');
    await store(queries, organizationId, id, changes);
    await recordHostChange(queries, host, context.now());
  });
  context.domains.changed(host);
  return readDomain(context, caller, id);
}

/** A URL on a short domain could send visitors in circles, even if the domain is not verified yet. */
async function fallbackUrl(
  context: Context,
  { organizationId }: Caller,
  text: string | null | undefined,
  field: string,
): Promise<string | null | undefined> {
  if (text === undefined) return undefined;
  if (text === null || text.trim() === '') return null;
  const { url } = parseDestination(text, field);
  const host = normaliseHostname(url.hostname);
  const { lookup } = context.database;
  const isOurs =
    context.site.leadsToUs(url) ||
    (await findOwnDomainId(lookup, organizationId, host)) !== null ||
    (await findVerifiedDomain(lookup, host)) !== undefined;
  if (isOurs) throw destinationIsOurs(field);
  return url.href;
}
