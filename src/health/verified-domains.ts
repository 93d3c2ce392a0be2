import type { Patient } from './patient.ts';

/** Enough to see what is wrong; an instance with thousands is not asked about each. */
const maxDomains = 100;

export async function verifiedDomains(store: Patient['store']): Promise<readonly string[]> {
  const rows = await store?.ask(
    `select host from domains where verified_at is not null order by id limit ${maxDomains}`,
  );
  return (rows ?? []).map(({ host }) => String(host));
}
