import { restorableAfter } from '../../rules/link-bin.ts';
import { addressKey } from '../../storage/links/link-addresses.ts';
import {
  claimAddresses,
  deleteAliases,
  type HeldAddress,
  heldAmong,
  type RequestedAddress,
} from '../../storage/links/link-aliases.ts';
import { removeFromBin } from '../../storage/links/link-bin.ts';
import { deleteTracesOf } from '../../storage/links/link-records.ts';
import type { Queries } from '../../storage/schema.ts';

interface AddressRequest {
  readonly organizationId: number;
  /** Whether exactly this address is requested, and not any free one. */
  readonly isChosen: boolean;
}

const isReservationOver = ({ deleted_at }: HeldAddress, now: number): boolean =>
  deleted_at !== null && deleted_at <= restorableAfter(now);

/** The organization of a deleted link may have its address again, if it requests exactly that one. */
export const isFreeFor = (
  held: HeldAddress,
  { organizationId, isChosen }: AddressRequest,
  now: number,
): boolean =>
  isReservationOver(held, now) ||
  (held.deleted_at !== null && isChosen && held.organization_id === organizationId);

/** Deletes the former holders of these addresses: aliases, and deleted links that can't be restored any more. */
export async function release(queries: Queries, held: readonly HeldAddress[], now: number): Promise<void> {
  const aliases = held.filter(({ is_alias }) => is_alias === 1);
  if (aliases.length > 0) await deleteAliases(queries, aliases);
  const gone = held.filter((one) => one.is_alias === 0 && isReservationOver(one, now)).map(({ id }) => id);
  if (gone.length === 0) return;
  await removeFromBin(queries, gone);
  await deleteTracesOf(queries, gone);
}

interface Reservation {
  /** Not available: a link or an alias has them, a deleted link reserves them, or an earlier one in the list is the same. */
  readonly taken: ReadonlySet<RequestedAddress>;
  /** Of the other addresses: to be released before a link gets them. */
  readonly formerHolders: readonly HeldAddress[];
}

/** Reserves those of these addresses that are available: no other transaction gets them until this one ends. */
export async function reserveAddresses(
  queries: Queries,
  requested: readonly RequestedAddress[],
  now: number,
): Promise<Reservation> {
  const free = await claimAddresses(queries, requested);
  // After the claim: concurrent transactions have ended by then on every database.
  const held = await heldAmong(queries, requested);
  const heldAt = Map.groupBy(held, addressKey);
  const assigned = new Map<string, RequestedAddress>();
  for (const address of requested) {
    const key = addressKey(address);
    const request = { organizationId: address.organization_id, isChosen: true };
    const isFree = free.has(key) && (heldAt.get(key) ?? []).every((one) => isFreeFor(one, request, now));
    if (isFree && !assigned.has(key)) assigned.set(key, address);
  }
  const all = new Set(assigned.values());
  return {
    taken: new Set(requested.filter((address) => !all.has(address))),
    formerHolders: held.filter((one) => assigned.has(addressKey(one))),
  };
}
