import type { Caller } from '../../rules/access.ts';
import { existing, Refusal } from '../../rules/errors.ts';
import {
  type DomainRow,
  deleteEmptyDomain,
  findDomain,
  linkIdsOn,
  lockDomain,
  updateDomain,
} from '../../storage/domains.ts';
import { countForeignAliases } from '../../storage/links/link-aliases.ts';
import { onPaperCount } from '../../storage/links/link-counts.ts';
import { recordHostChange } from '../../storage/marked-changes.ts';
import type { Queries } from '../../storage/schema.ts';
import type { Context } from '../context.ts';
import { deleteLinks } from '../links/delete-link.ts';
import { onPaper } from '../links/on-paper.ts';
import { removeAliasesOn } from '../links/remove-aliases.ts';

/** Few enough that no click waits long for them. */
const linksAtOnce = 500;
/** How long a call clears links away before it leaves the rest to the background. */
const callTimeSlice = 4_000;
const takeoverDelay = 30_000;

/**
 * Hides the domain first, so that no link is created on it; then deletes its links, some at a time; then the domain itself. If the
 * node crashes meanwhile, the next check does the rest.
 */
export async function deleteDomain(
  context: Context,
  caller: Caller,
  id: number,
  { withLinks, isConfirmed }: { readonly withLinks: boolean; readonly isConfirmed: boolean },
): Promise<void> {
  const { organizationId } = caller;
  const hidden = await context.database.write(async (queries) => {
    const domain = await existing(lockDomain(queries, organizationId, id), 'domain');
    const links = (await findDomain(queries, organizationId, id))?.links ?? 0;
    const aliases = await countForeignAliases(queries, id);
    if (links + aliases.all > 0 && !withLinks) throw hasLinks(domain.host, links, aliases.all);
    if (links + aliases.linksOnPaper > 0 && !isConfirmed)
      await refuseOnPaper(queries, organizationId, domain, aliases.linksOnPaper);
    const now = context.now();
    // If this node crashes, any other node continues from there.
    const changes = { deleted_at: now, verified_at: null, next_check_at: now + takeoverDelay };
    await updateDomain(queries, organizationId, id, changes);
    await recordHostChange(queries, domain.host, now);
    return domain;
  });
  context.domains.changed(hidden.host);
  await clearAway(context, hidden, callTimeSlice);
}

/**
 * Deletes the links of a hidden domain, removes their aliases on it from other links and, once there are none, deletes the
 * domain. What takes too long is due again at once.
 */
export async function clearAway(
  { database, ...context }: Context,
  { id, organization_id }: Pick<DomainRow, 'id' | 'organization_id'>,
  timeSlice: number,
): Promise<void> {
  const caller = {
    userId: 0,
    organizationId: organization_id,
    role: 'administrator',
    via: 'linnet',
  } as const;
  const began = performance.now();
  while (!(await database.write((queries) => deleteEmptyDomain(queries, organization_id, id)))) {
    if (performance.now() - began > timeSlice) {
      const changes = { next_check_at: context.now() };
      await database.write((queries) => updateDomain(queries, organization_id, id, changes));
      return;
    }
    const ids = await linkIdsOn(database.read, id, linksAtOnce);
    if (ids.length > 0) await deleteLinks({ database, ...context }, caller, ids, true);
    else await removeAliasesOn({ database, ...context }, caller, id, linksAtOnce);
  }
}

async function refuseOnPaper(
  queries: Queries,
  organizationId: number,
  { id, host }: Pick<DomainRow, 'id' | 'host'>,
  linksElsewhere: number,
): Promise<void> {
  const links = linksElsewhere + (await onPaperCount(queries, organizationId, id));
  if (links === 0) return;
  throw onPaper(
    links === 1
      ? `A link on ${host} is in print`
      : `${links.toLocaleString('en')} links on ${host} are in print`,
  );
}

function hasLinks(host: string, links: number, aliases: number): Refusal {
  if (links === 0)
    return new Refusal(
      'DOMAIN_HAS_LINKS',
      `${aliases === 1 ? 'An alias of a link is' : `${aliases.toLocaleString('en')} aliases of links are`} on ${host}, and would stop working. Remove them first, or delete the domain with them by ?links=delete.`,
    );
  const andAliases =
    aliases === 0
      ? ''
      : aliases === 1
        ? ' and an alias of another'
        : ` and ${aliases.toLocaleString('en')} aliases of others`;
  const counted = `${links === 1 ? 'is one link' : `are ${links.toLocaleString('en')} links`}${andAliases}`;
  return new Refusal(
    'DOMAIN_HAS_LINKS',
    `There ${counted} on ${host}, which would stop working. Delete them first, or delete the domain with them by ?links=delete.`,
  );
}
