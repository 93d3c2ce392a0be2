import type { Caller } from '../../rules/access.ts';
import { existing, Refusal } from '../../rules/errors.ts';
import { findByExternalId, holdersOfExternalIds } from '../../storage/links/external-ids.ts';
import { tagsOf } from '../../storage/links/link-tags.ts';
import type { Queries } from '../../storage/schema.ts';
import type { Context } from '../context.ts';
import type { LinkWithTags, PreparedLink } from './prepared-link.ts';

/** `holder` is the link that has it, if that is certain to stay. */
const externalIdTaken = (externalId: string, holder: number | null): Refusal =>
  new Refusal(
    'EXTERNAL_ID_TAKEN',
    `"${externalId}" is the external_id of ${holder === null ? 'another link' : `link ${holder}`} of your organization. PUT /api/v1/link/external/${encodeURIComponent(externalId)} changes that one; or choose another id.`,
    { field: 'external_id' },
  );

/**
 * The links that could not be inserted because their external id is taken. Links of the same call are not named: they may be
 * rolled back.
 */
export async function takenExternalIds(
  queries: Queries,
  missed: readonly PreparedLink[],
): Promise<ReadonlyMap<PreparedLink, Refusal>> {
  const refusals = new Map<PreparedLink, Refusal>();
  const named = missed.filter(({ row }) => row.external_id !== null);
  for (const [organizationId, links] of Map.groupBy(named, ({ row }) => row.organization_id)) {
    const ids = links.flatMap(({ row }) => row.external_id ?? []);
    const holders = await holdersOfExternalIds(queries, organizationId, ids);
    for (const link of links) {
      const { external_id, created_at } = link.row;
      const holder = holders.find((one) => one.external_id === external_id);
      if (!holder || external_id === null) continue;
      refusals.set(link, externalIdTaken(external_id, holder.created_at < created_at ? holder.id : null));
    }
  }
  return refusals;
}

/** Why a link couldn't get an external id. */
export async function takenExternalId(
  { database }: Pick<Context, 'database'>,
  { organizationId }: Pick<Caller, 'organizationId'>,
  externalId: string,
): Promise<Refusal> {
  const [holder] = await holdersOfExternalIds(database.lookup, organizationId, [externalId]);
  return externalIdTaken(externalId, holder?.id ?? null);
}

export async function readByExternalId(
  { database }: Pick<Context, 'database'>,
  { organizationId }: Caller,
  externalId: string,
): Promise<LinkWithTags> {
  const link = await existing(findByExternalId(database.lookup, organizationId, externalId), 'link');
  return { link, tags: (await tagsOf(database.lookup, [link.id])).get(link.id) ?? [] };
}
