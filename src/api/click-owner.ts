import type { Context } from '../manage/context.ts';
import { type ChosenLinks, chosenLinks } from '../manage/links/chosen-links.ts';
import { readLink } from '../manage/links/read-links.ts';
import type { Caller } from '../rules/access.ts';
import type { Owner } from '../stats/clicks.ts';

/** Whose clicks a call asks for: those of one link. */
export async function linkOwner(context: Context, caller: Caller, id: number): Promise<Owner> {
  const { link } = await readLink(context, caller, id);
  return { kind: 'link', id: link.id, organizationId: caller.organizationId };
}

/** Those of all links of the organization, or of the chosen ones. */
export async function chosenOwner(context: Context, caller: Caller, chosen: ChosenLinks) {
  const links = await chosenLinks(context, caller, chosen);
  return { kind: 'organization', id: caller.organizationId, links } as const;
}
