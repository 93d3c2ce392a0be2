import type { Caller } from '../rules/access.ts';
import { invalidField, Refusal } from '../rules/errors.ts';
import { similarSuffixes } from '../rules/similar-suffixes.ts';
import { dayOf } from '../rules/utc-time.ts';
import { listDomains } from '../storage/domains.ts';
import {
  countOtherNotFound,
  linksWithSuffixes,
  listNotFound,
  type NotFoundAddress,
  type NotFoundPosition,
  type SimilarLink,
} from '../storage/not-found-visits.ts';
import { pageOf } from '../storage/rows.ts';
import { defaultDomainId } from '../storage/schema.ts';
import type { Context } from './context.ts';
import { runsInstance } from './instance.ts';
import { domainIdOf } from './links/read-links.ts';

export type { NotFoundPosition };

export interface NotFoundWithHost extends NotFoundAddress {
  /** Null is the default domain. */
  readonly host: string | null;
  /** A link of the organization that may have been meant. */
  readonly similar: Pick<SimilarLink, 'id' | 'suffix'> | null;
}

interface NotFoundList {
  readonly addresses: readonly NotFoundWithHost[];
  /** Visits to addresses that are not stored separately. */
  readonly others: number;
  /** The position of the next page; null after the last one. */
  readonly next: NotFoundPosition | null;
}

interface NotFoundQuery {
  readonly domain: string | undefined;
  readonly days: number;
  readonly limit: number;
  readonly after: NotFoundPosition | undefined;
}

/**
 * Addresses of the organization's domains that people visited and that no link has. Those of the default domain may be other
 * organizations' deleted or mistyped links: only administrators of the organization that runs the service see them.
 */
export async function readNotFound(
  context: Context,
  caller: Caller,
  { domain, days, limit, after }: NotFoundQuery,
): Promise<NotFoundList> {
  const { read } = context.database;
  const { organizationId } = caller;
  const hosts = await visibleDomains(context, caller, domain);
  const domainIds = [...hosts.keys()];
  const filter = { domainIds, fromDay: dayOf(context.now()) - days + 1 };
  const [found, others] = await Promise.all([
    listNotFound(read, filter, { limit: limit + 1, after }),
    countOtherNotFound(read, filter),
  ]);
  const { rows, last } = pageOf(found, limit);
  const similar = new Map(rows.map((row) => [row, similarSuffixes(row.suffix)]));
  const links = await linksWithSuffixes(read, organizationId, domainIds, [
    ...new Set([...similar.values()].flat()),
  ]);
  const byAddress = new Map(links.map((link) => [`${link.domain_id} ${link.suffix}`, link]));
  const similarTo = (row: NotFoundAddress) => {
    const suffix = similar.get(row)?.find((one) => byAddress.has(`${row.domain_id} ${one}`));
    return byAddress.get(`${row.domain_id} ${suffix}`) ?? null;
  };
  return {
    addresses: rows.map((row) => ({
      ...row,
      host: hosts.get(row.domain_id) ?? null,
      similar: similarTo(row),
    })),
    others,
    next: last && { visits: last.visits, domainId: last.domain_id, suffix: last.suffix },
  };
}

/** The hosts that the caller may see, by the ids of their domains; null for that of the service. */
async function visibleDomains(
  context: Context,
  caller: Caller,
  domain: string | undefined,
): Promise<ReadonlyMap<number, string | null>> {
  const id = domain === undefined ? undefined : await domainIdOf(context, caller, domain);
  const seesDefault =
    (id === undefined || id === defaultDomainId) &&
    caller.role === 'administrator' &&
    (await runsInstance(context, caller.organizationId));
  if (id === null) throw invalidField('domain', `You have no domain "${domain}". Give one of yours.`);
  if (id === defaultDomainId && !seesDefault)
    throw new Refusal(
      'FORBIDDEN',
      'Visits without a link on the domain of the service itself are shown to administrators of the organization that runs it. Give a domain of yours.',
      { field: 'domain' },
    );
  const own = await listDomains(context.database.read, caller.organizationId);
  const all = [
    ...(seesDefault ? [{ id: defaultDomainId, host: null }] : []),
    ...own.map((row) => ({ id: row.id, host: row.host })),
  ];
  return new Map(all.flatMap((one) => (id === undefined || one.id === id ? [[one.id, one.host]] : [])));
}
