import type { Caller } from '../../rules/access.ts';
import { notFound, Refusal } from '../../rules/errors.ts';
import { holdersOfExternalIds } from '../../storage/links/external-ids.ts';
import type { Context } from '../context.ts';
import { createLink } from './create-links.ts';
import type { LinkToCreate } from './prepare-link.ts';
import type { LinkWithTags } from './prepared-link.ts';

const maxTries = 5;

interface PutOptions {
  readonly withPng: boolean;
  /** The call names a version: a link that doesn't exist has none, and isn't created. */
  readonly mustExist: boolean;
}

/**
 * Updates the link that has the external id of `input`, or creates it. Of two concurrent calls one creates it, and the other
 * updates it.
 */
export async function putLink(
  context: Context,
  caller: Caller,
  input: LinkToCreate & { readonly external_id: string },
  { withPng, mustExist }: PutOptions,
  change: (id: number) => Promise<LinkWithTags>,
): Promise<LinkWithTags> {
  const { organizationId } = caller;
  for (let tries = 1; ; tries++) {
    const [holder] = await holdersOfExternalIds(context.database.lookup, organizationId, [input.external_id]);
    if (!holder && mustExist) throw notFound('link');
    try {
      if (!holder) return await createLink(context, caller, input, { withPng });
      return { ...(await change(holder.id)), isFound: true };
    } catch (cause) {
      const raceCode = holder ? 'NOT_FOUND' : 'EXTERNAL_ID_TAKEN';
      if (!(cause instanceof Refusal) || cause.code !== raceCode || tries === maxTries) throw cause;
    }
  }
}
