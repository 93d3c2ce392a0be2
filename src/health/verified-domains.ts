import type { CheckContext } from './check-context.ts';

/** Enough to notice problems; an instance with thousands isn't checked for each of them. */
const maxDomains = 100;

export async function verifiedDomains(store: CheckContext['store']): Promise<readonly string[]> {
  const rows = await store?.query(
    `select host from domains where verified_at is not null order by id limit ${maxDomains}`,
  );
  return (rows ?? []).map(({ host }) => String(host));
}
