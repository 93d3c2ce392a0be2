import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { PostgresConnection } from '../src/ledger/stores/postgres-connection.ts';
import { StoreUnavailable } from '../src/rules/errors.ts';
import { freshPostgres } from './support/postgres.ts';

test("the fold's statements are prepared once, a retry succeeds if tables have changed or a pooler has dropped them, and no lock is kept", async () => {
  const url = await freshPostgres();
  const sql = new SQL({ url, max: 1 });
  await sql
    .unsafe('create table things (id bigint, value bigint); insert into things values (1, 2)')
    .simple();
  const open = (address: string) => new PostgresConnection(address, { name: 'fold', timeout: 5_000 });
  const fold = open(url);
  const value = ({ namedQuery }: PostgresConnection) =>
    namedQuery('select value from things where id = $1', [1]).then(([row]) => Number(row?.value));
  const preparedCount = async ({ query }: PostgresConnection) =>
    Number(
      (await query("select count(*) as count from pg_prepared_statements where name like 'linnet%'"))[0]
        ?.count,
    );
  expect([await value(fold), await value(fold), await preparedCount(fold)]).toEqual([2, 2, 1]);
  expect(await fold.transaction(() => value(fold), true)).toBe(2);

  await sql`alter table things alter column value type numeric`;
  await expect(value(fold)).rejects.toThrow(StoreUnavailable);
  expect([await value(fold), await preparedCount(fold)]).toEqual([2, 1]);

  await fold.query('deallocate all');
  await expect(value(fold)).rejects.toThrow(StoreUnavailable);
  expect([await value(fold), await value(fold), await preparedCount(fold)]).toEqual([2, 2, 0]);

  // Its locks would make other nodes wait.
  const failing = fold.transaction(async (query) => {
    await query('update things set value = 3');
    throw new StoreUnavailable('another server is away');
  });
  await expect(failing).rejects.toThrow('another server is away');
  await sql`set lock_timeout = '1s'`;
  await sql`update things set value = 2`;

  const unprepared = open(`${url}?prepared_statements=off`);
  expect([await value(unprepared), await preparedCount(unprepared)]).toEqual([2, 0]);
  for (const connection of [fold, unprepared]) await connection.close();
  await sql.end();
});
