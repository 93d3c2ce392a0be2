import { expect, test } from 'bun:test';
import { queriesOver } from './drivers/sqlite-client.ts';
import { prepared, preparedRow } from './prepared.ts';

const recorder = () => {
  const executed: (readonly [string, readonly unknown[]])[] = [];
  const queries = queriesOver({
    run(sql, parameters) {
      executed.push([sql, parameters]);
      return { rows: [{ id: executed.length }], changes: 0 };
    },
  });
  return { executed, queries };
};

test("each value is bound wherever it is used, beside the statement's fixed values", async () => {
  let built = 0;
  const find = prepared((queries, suffix: string, domain: number) => {
    built++;
    return queries
      .selectFrom('links')
      .select('id')
      .where('domain_id', '=', domain)
      .where('suffix', '=', suffix)
      .where('captcha', '=', 1)
      .where('id', '<>', domain)
      .compile();
  });
  const { executed, queries } = recorder();
  expect(await find(queries, 'one', 7)).toEqual([{ id: 1 }]);
  expect(await find(queries, 'two', 0)).toEqual([{ id: 2 }]);
  expect(executed.map(([, values]) => values)).toEqual([
    [7, 'one', 1, 7],
    [0, 'two', 1, 0],
  ]);
  expect(executed[0]?.[0]).toBe(executed[1]?.[0] ?? '');
  expect(built).toBe(1);
});

test('each of several databases gets its own values', async () => {
  const find = preparedRow((queries, id: number) =>
    queries.selectFrom('links').select('id').where('id', '=', id).compile(),
  );
  const [one, other] = [recorder(), recorder()];
  await Promise.all([find(one.queries, 1), find(other.queries, 2), find(one.queries, 3)]);
  expect(one.executed.map(([, values]) => values)).toEqual([[1], [3]]);
  expect(other.executed.map(([, values]) => values)).toEqual([[2]]);
});
