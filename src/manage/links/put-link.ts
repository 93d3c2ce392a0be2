import type { Caller } from '../../rules/access.ts';
import { notFound, Refusal } from '../../rules/errors.ts';
import { holdersOfExternalIds } from '../../storage/links/external-ids.ts';
import type { Context } from '../context.ts';
import { createLink } from './create-links.ts';
import type { LinkToCreate } from './prepare-link.ts';
import type { LinkWithTags } from './prepared-link.ts';
import { updateLink } from './update-link.ts';

const maxTries = 5;

interface PutOptions {
  readonly withPng: boolean;
  /** The call's `If-Match` header: a link that doesn't exist has no version, and isn't created. */
  readonly expectedVersion: string | null;
  readonly isConfirmed: boolean;
}

/**
 * Updates the link that has the external id of `input`, or creates it. Of two concurrent calls one creates it, and the other
 * updates it.
 */
export async function putLink(
  context: Context,
  caller: Caller,
  input: LinkToCreate & { readonly external_id: string },
  { withPng, expectedVersion, isConfirmed }: PutOptions,
): Promise<LinkWithTags> {
  const { organizationId } = caller;
  const { external_id, domain, suffix, password, ...settings } = input;
  const update = {
    ...settings,
    domain: domain || undefined,
    suffix: suffix || undefined,
    password: password ?? undefined,
  };
  const terms = { expectedVersion, expectedExternalId: external_id, isConfirmed };
  for (let tries = 1; ; tries++) {
    const [holder] = await holdersOfExternalIds(context.database.lookup, organizationId, [external_id]);
    if (!holder && expectedVersion !== null) throw notFound('link');
    try {
      if (!holder) return await createLink(context, caller, input, { withPng });
      return { ...(await updateLink(context, caller, holder.id, update, terms)), isFound: true };
    } catch (cause) {
      const raceCode = holder ? 'NOT_FOUND' : 'EXTERNAL_ID_TAKEN';
      if (!(cause instanceof Refusal) || cause.code !== raceCode || tries === maxTries) throw cause;
    }
  }
}
