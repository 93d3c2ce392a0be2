import type { Caller } from '../rules/access.ts';
import type { StoredLink } from '../storage/links.ts';
import type { StoredTag } from '../storage/tags.ts';
import type { Context } from './context.ts';
import { type LinkToCreate, linkPreparer } from './prepare-link.ts';

export interface LinkWithTags {
  readonly link: StoredLink;
  readonly tags: readonly StoredTag[];
}

export async function createLink(
  context: Context,
  caller: Caller,
  wish: LinkToCreate,
  withPng: boolean,
): Promise<LinkWithTags> {
  const made = await context.creations.store(await linkPreparer(context, caller, withPng)(wish));
  context.linksChanged([made.link]);
  return made;
}
