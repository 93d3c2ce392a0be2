import type { Caller } from '../rules/access.ts';
import type { Context } from './context.ts';
import { type LinkToCreate, linkPreparer } from './prepare-link.ts';
import type { LinkWithTags } from './prepared-link.ts';

export async function createLink(
  context: Context,
  caller: Caller,
  input: LinkToCreate,
  withPng: boolean,
): Promise<LinkWithTags> {
  const made = await context.storeLink(await linkPreparer(context, caller, withPng)(input));
  context.linksChanged([made.link]);
  return made;
}
