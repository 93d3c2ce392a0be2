import { goneBefore } from '../rules/link-bin.ts';
import { addressKey } from '../storage/link-addresses.ts';
import {
  claimAddresses,
  deleteAliases,
  type HeldAddress,
  heldUnder,
  type WantedAddress,
} from '../storage/link-aliases.ts';
import { removeFromBin } from '../storage/link-bin.ts';
import { deleteTracesOf } from '../storage/link-records.ts';
import type { Queries } from '../storage/schema.ts';

interface Wanting {
  readonly organizationId: number;
  /** Whether exactly this address is wanted, and not just any. */
  readonly isChosen: boolean;
}

const isOver = ({ deleted_at }: HeldAddress, now: number): boolean =>
  deleted_at !== null && deleted_at <= goneBefore(now);

/** The organization of a deleted link may have its address again, if it asks for exactly that one. */
export const isFreeFor = (held: HeldAddress, { organizationId, isChosen }: Wanting, now: number): boolean =>
  isOver(held, now) || (held.deleted_at !== null && isChosen && held.organization_id === organizationId);

/** Deletes what gave up an address: aliases, and deleted links that can't be restored any more. */
export async function release(queries: Queries, held: readonly HeldAddress[], now: number): Promise<void> {
  const aliases = held.filter(({ is_alias }) => is_alias === 1);
  if (aliases.length > 0) await deleteAliases(queries, aliases);
  const gone = held.filter((one) => one.is_alias === 0 && isOver(one, now)).map(({ id }) => id);
  if (gone.length === 0) return;
  await removeFromBin(queries, gone);
  await deleteTracesOf(queries, gone);
}

/**
 * Which of these addresses aren't available: a link or an alias has them, a deleted link reserves them, or an earlier one in the
 * list wants the same. No one else gets the others until this transaction ends.
 */
export async function takenAmong(
  queries: Queries,
  wanted: readonly WantedAddress[],
  now: number,
): Promise<ReadonlySet<WantedAddress>> {
  const free = await claimAddresses(queries, wanted);
  const held: HeldAddress[] = [];
  // After the claim: concurrent transactions have ended by then on every database.
  for (const [domainId, some] of Map.groupBy(wanted, (address) => address.domain_id))
    held.push(
      ...(await heldUnder(
        queries,
        domainId,
        some.map(({ suffix }) => suffix),
      )),
    );
  const heldAt = Map.groupBy(held, addressKey);
  const got = new Map<string, WantedAddress>();
  for (const address of wanted) {
    const key = addressKey(address);
    const wanting = { organizationId: address.organization_id, isChosen: true };
    const isFree = free.has(key) && (heldAt.get(key) ?? []).every((one) => isFreeFor(one, wanting, now));
    if (isFree && !got.has(key)) got.set(key, address);
  }
  await release(
    queries,
    held.filter((one) => got.has(addressKey(one))),
    now,
  );
  const all = new Set(got.values());
  return new Set(wanted.filter((address) => !all.has(address)));
}
