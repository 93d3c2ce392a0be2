import type { Caller } from '../../rules/access.ts';
import type { LinkChanges, StoredLink } from '../../storage/links/links.ts';
import type { Context } from '../context.ts';
import { FieldRefusals } from '../field-refusals.ts';
import {
  type AddressFields,
  addressChange,
  type RequestedAddresses,
  requestedAddresses,
} from './change-address.ts';
import { columnsOf, type LinkFields } from './link-fields.ts';
import { refuseEndBeforeStart, refuseEqualColours } from './prepare-link.ts';

/** Validates a call's fields before its link is locked. */
export async function checkUpdate(
  context: Context,
  caller: Caller,
  link: StoredLink,
  update: LinkFields & AddressFields,
): Promise<{ readonly columns: LinkChanges; readonly requested: RequestedAddresses | null }> {
  const refusals = new FieldRefusals();
  const requested = await requestedAddresses(context, caller, link, update, refusals);
  const columns = await columnsOf(context, caller.organizationId, update, refusals);
  if (!refusals.areNone) {
    // Otherwise these are only checked once the link is locked.
    const { start_at = null, expires_at = null } = columns;
    refusals.check(() => addressChange(link, requested));
    refusals.check(() => refuseEqualColours({ ...link, ...columns }, update));
    refusals.check(() => refuseEndBeforeStart({ start_at, expires_at }, update));
  }
  refusals.throwIfAny();
  return { columns, requested };
}
