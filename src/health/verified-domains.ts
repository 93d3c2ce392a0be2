import { hasTable } from '../backup/read-only-store.ts';
import type { CheckContext } from './check-context.ts';

/** Enough to notice problems; an instance with thousands isn't checked for each of them. */
const maxDomains = 100;

/** Whether visitors of this host would reach a custom domain, if it weren't the service's own. */
export async function isVerifiedDomain(store: CheckContext['store'], host: string): Promise<boolean> {
  if (store === null || !(await hasTable(store, 'domains'))) return false;
  const rows = await store.query(
    `select 1 from domains where verified_at is not null and host = '${host.replaceAll("'", "''")}'`,
  );
  return rows.length > 0;
}

export async function verifiedDomains(store: CheckContext['store']): Promise<readonly string[]> {
  const rows = await store?.query(
    `select host from domains where verified_at is not null order by id limit ${maxDomains}`,
  );
  return (rows ?? []).map(({ host }) => String(host));
}
