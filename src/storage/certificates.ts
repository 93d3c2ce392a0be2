import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { preparedRow } from './prepared.ts';
import { hasRow } from './rows.ts';
import type { Queries, Schema } from './schema.ts';

export type CertificateRow = Selectable<Schema['certificates']>;
type ProofRow = Selectable<Schema['certificate_proofs']>;

/** For a handshake. */
export const findCertificate = preparedRow((queries, host: string) =>
  queries
    .selectFrom('certificates')
    .select(['chain', 'sealed_key', 'not_after', 'problem', 'next_at', 'claimed_until'])
    .where('host', '=', host)
    .compile(),
);

/** The newest challenge for a name that can be answered in a handshake (TLS-ALPN-01). */
export const findTlsProof = preparedRow((queries, host: string, now: number) =>
  queries
    .selectFrom('certificate_proofs')
    .select(['certificate', 'private_key'])
    .where('host', '=', host)
    .where('certificate', 'is not', null)
    .where('expires_at', '>', now)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .compile(),
);

/** The answer to an HTTP-01 challenge; null if there is none. */
export async function findHttpProof(queries: Queries, host: string, token: string): Promise<string | null> {
  const row = await queries
    .selectFrom('certificate_proofs')
    .select('answer')
    .where('token', '=', token)
    .where('host', '=', host)
    .executeTakeFirst();
  return row?.answer ?? null;
}

export const insertProof = async (queries: Queries, proof: ProofRow): Promise<void> => {
  const { token, ...rest } = proof;
  await queries
    .insertInto('certificate_proofs')
    .values(proof)
    .onConflict((conflict) => conflict.column('token').doUpdateSet(rest))
    .execute();
};

export const deleteProofs = async (queries: Queries, host: string, now: number): Promise<void> => {
  await queries
    .deleteFrom('certificate_proofs')
    .where((of) => of.or([of('host', '=', host), of('expires_at', '<', now)]))
    .execute();
};

/** Requests a certificate for a name. Returns false if it was requested already. */
export const requestCertificate = (queries: Queries, host: string, now: number): Promise<boolean> =>
  hasRow(
    queries
      .insertInto('certificates')
      .values({ host, next_at: now })
      .onConflict((conflict) => conflict.column('host').doNothing())
      .returning('host'),
  );

const isDue = (now: number) => (of: ExpressionBuilder<Schema, 'certificates'>) =>
  of.and([
    of('next_at', '<=', now),
    of.or([of('claimed_until', 'is', null), of('claimed_until', '<=', now)]),
  ]);

/** Retries and claims further in the future than possible were written by a clock that was ahead: they are due now. */
export async function correctCertificateTimes(
  queries: Queries,
  { now, lastTry, lastClaim }: { readonly now: number; readonly lastTry: number; readonly lastClaim: number },
): Promise<void> {
  await queries
    .updateTable('certificates')
    .set({ claimed_until: null })
    .where('claimed_until', '>', lastClaim)
    .execute();
  await queries
    .updateTable('certificates')
    .set({ next_at: now })
    .where('next_at', '>', lastTry)
    // A name with a certificate is due by that certificate's dates.
    .where((of) => of.or([of('chain', 'is', null), of('problem', 'is not', null)]))
    .execute();
}

export const hasDueCertificates = (queries: Queries, now: number): Promise<boolean> =>
  hasRow(queries.selectFrom('certificates').select('host').where(isDue(now)).limit(1));

interface Claim {
  readonly now: number;
  /** No other node gets them before that. */
  readonly until: number;
  readonly max: number;
  /** How many of one organization may be claimed at once, by all nodes together. */
  readonly maxPerOrganization: number;
}

/**
 * Claims due certificates. Organizations take turns, those with the fewest claimed ones first; each organization's are claimed
 * longest due first.
 */
export async function claimDueCertificates(
  queries: Queries,
  { now, until, max, maxPerOrganization }: Claim,
): Promise<CertificateRow[]> {
  const turns = queries
    .selectFrom('certificates')
    .leftJoin('domains', (join) =>
      join.onRef('domains.host', '=', 'certificates.host').on('domains.verified_at', 'is not', null),
    )
    .select([
      'certificates.host',
      'certificates.next_at',
      'certificates.claimed_until',
      // Claimed ones are due, too. They come first, so that they count towards their organization's turns.
      sql<number>`row_number() over (
        partition by domains.organization_id
        order by case when certificates.claimed_until > ${now} then 0 else 1 end, certificates.next_at
      )`.as('turn'),
    ])
    .where('certificates.next_at', '<=', now);
  const chosen = await queries
    .selectFrom(turns.as('turns'))
    .select('host')
    .where((of) => of.or([of('claimed_until', 'is', null), of('claimed_until', '<=', now)]))
    .where('turn', '<=', maxPerOrganization)
    .orderBy('turn')
    .orderBy('next_at')
    .limit(max)
    .execute();
  if (chosen.length === 0) return [];
  const hosts = chosen.map(({ host }) => host);
  const claimed = queries
    .updateTable('certificates')
    .set({ claimed_until: until })
    .where('host', 'in', hosts);
  // Another node may have claimed some of them since.
  return claimed.where(isDue(now)).returningAll().execute();
}

export async function updateCertificate(
  queries: Queries,
  host: string,
  changes: Partial<Omit<CertificateRow, 'host'>>,
): Promise<void> {
  await queries.updateTable('certificates').set(changes).where('host', '=', host).execute();
}

/** Orders all anew: their private keys can't be read without the key that sealed them. */
export async function reorderCertificates(queries: Queries, now: number): Promise<void> {
  await queries
    .updateTable('certificates')
    .set({
      chain: null,
      sealed_key: null,
      not_after: null,
      renew_at: null,
      next_at: now,
      claimed_until: null,
      failures: 0,
      problem: null,
      problem_detail: null,
    })
    .execute();
}

export async function deleteCertificate(queries: Queries, host: string): Promise<void> {
  await queries.deleteFrom('certificates').where('host', '=', host).execute();
}

/** The states of the certificates of these names. */
export async function certificatesOf(queries: Queries, hosts: readonly string[]) {
  if (hosts.length === 0) return [];
  return queries
    .selectFrom('certificates')
    .select(['host', 'not_after', 'problem', 'problem_detail', 'next_at'])
    .where('host', 'in', hosts)
    .execute();
}

/** Counts the certificates by problem, which is null for those without one: those of deleted or released domains don't count. */
export const certificateCounts = (queries: Queries, ownHost: string, now: number) =>
  queries
    .selectFrom('certificates')
    .select(({ fn }) => [
      'problem',
      fn.countAll<number>().as('names'),
      // Consecutive failed orders, of all of them.
      fn.sum<number>('failures').as('failures'),
      // Those with a valid certificate, and when the first of these expires.
      fn.count<number>('not_after').filterWhere('not_after', '>', now).as('served'),
      fn.min('not_after').filterWhere('not_after', '>', now).as('first_end'),
    ])
    .where((of) =>
      of.or([
        of('host', '=', ownHost),
        of('host', 'in', of.selectFrom('domains').select('host').where('verified_at', 'is not', null)),
      ]),
    )
    .groupBy('problem')
    .execute();
