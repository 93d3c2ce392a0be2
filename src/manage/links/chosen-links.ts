import type { Caller } from '../../rules/access.ts';
import { invalidField, Refusal } from '../../rules/errors.ts';
import { matchingIds } from '../../storage/links/list-links.ts';
import type { Context } from '../context.ts';
import { requireTags } from './link-tags.ts';
import { domainIdOf } from './read-links.ts';

/** The hours of this many links are summed in a second or two. */
const maxChosen = 10_000;

/** As a call sends it. */
export interface ChosenLinks {
  readonly tag?: readonly number[] | undefined;
  readonly domain?: string | undefined;
  readonly ids?: readonly number[] | undefined;
}

/**
 * The ids of the links to query statistics for, sorted; undefined for all of them. Links of other organizations are refused, and
 * so are more links than can be counted together: nothing is omitted silently.
 */
export async function chosenLinks(
  context: Context,
  caller: Caller,
  { tag: tagIds, domain, ids }: ChosenLinks,
): Promise<readonly number[] | undefined> {
  if (tagIds === undefined && !domain && ids === undefined) return undefined;
  const { read } = context.database;
  const { organizationId } = caller;
  const found = tagIds && (await requireTags(read, organizationId, tagIds, 'tag'));
  const tags = found?.map(({ id }) => ({ id, links: 0 }));
  const domainId = domain ? await domainIdOf(context, caller, domain) : undefined;
  if (domainId === null) throw invalidField('domain', `You have no domain "${domain}". Give one of yours.`);
  if (ids) await requireOwn(context, caller, ids);
  const links = await matchingIds(read, organizationId, { tags, domainId, ids }, maxChosen + 1);
  if (links.length <= maxChosen) return links;
  throw new Refusal(
    'RANGE_TOO_WIDE',
    `These are more than ${maxChosen.toLocaleString('en')} links. Give a tag or a domain that fewer have, or ask for all links.`,
    { field: tagIds ? 'tag' : 'domain' },
  );
}

async function requireOwn({ database }: Context, caller: Caller, ids: readonly number[]): Promise<void> {
  const own = new Set(await matchingIds(database.read, caller.organizationId, { ids }, ids.length));
  const missing = ids.filter((id) => !own.has(id));
  if (missing.length === 0) return;
  throw invalidField('ids', `There is no link ${missing.slice(0, 5).join(', ')}. Leave it out.`);
}
