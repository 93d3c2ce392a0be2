import type { Insertable } from 'kysely';
import type { Schema } from '../../src/storage/schema.ts';
import type { TestAccount, TestApp } from './app.ts';

/** Gives an organization a domain without checking it, and returns its id. It is verified, unless the fields say otherwise. */
export const addDomain = (
  { app }: TestApp,
  { organizationId }: TestAccount,
  host: string,
  fields: Partial<Insertable<Schema['domains']>> = {},
): Promise<number> =>
  app.context.database.write(async (queries) => {
    const domain = { created_at: 1, organization_id: organizationId, host, verified_at: 1, ...fields };
    return (await queries.insertInto('domains').values(domain).returning('id').executeTakeFirstOrThrow()).id;
  });
