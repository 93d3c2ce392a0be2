import type { Queries } from './schema.ts';

export interface VerifiedDomain {
  readonly id: number;
  readonly organization_id: number;
  readonly host: string;
}

export const findVerifiedDomain = (queries: Queries, host: string): Promise<VerifiedDomain | undefined> =>
  queries
    .selectFrom('domains')
    .select(['id', 'organization_id', 'host'])
    .where('host', '=', host)
    .where('verified_at', 'is not', null)
    .executeTakeFirst();
