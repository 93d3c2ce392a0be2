import { preparedRow } from './prepared.ts';
import { hasRow } from './rows.ts';
import type { Queries } from './schema.ts';

/** The setting with a fingerprint of the store's master key. */
export const keyFingerprintSetting = 'master_key_mark';

export const findSetting = async (queries: Queries, key: string): Promise<string | null> =>
  (await selectSetting(queries, key))?.value ?? null;

const selectSetting = preparedRow((queries, key: string) =>
  queries.selectFrom('settings').select('value').where('key', '=', key).compile(),
);

/** Returns false if the setting existed already: the first value stays. */
export const claimSetting = (queries: Queries, key: string, value: string): Promise<boolean> =>
  hasRow(
    queries
      .insertInto('settings')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .returning('key'),
  );

/** Keeps others from changing and from locking it until this transaction ends. */
export async function lockSetting(queries: Queries, key: string): Promise<void> {
  await queries.selectFrom('settings').select('key').where('key', '=', key).forNoKeyUpdate().execute();
}

export async function deleteSetting(queries: Queries, key: string): Promise<void> {
  await queries.deleteFrom('settings').where('key', '=', key).execute();
}

export async function replaceSetting(queries: Queries, key: string, value: string): Promise<void> {
  await queries
    .insertInto('settings')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}
