import { describe, expect, test } from 'bun:test';
import { openCounts } from '../src/ledger/open-counts.ts';
import { hourLength } from '../src/rules/durations.ts';
import { storeKinds } from './support/app.ts';
import { zeroColumns } from './support/batch-folder.ts';
import { insertRows } from './support/hits.ts';
import { openedDatabase } from './support/migrated-store.ts';

const hour = 490_000;

describe.each(storeKinds)('groups counted from hits on %s', (store) => {
  test('are the hundred largest; of equally large ones those with the lowest values', async () => {
    await using database = await openedDatabase(store);
    // 250 values with two hits each, one of them a bot's. Value 200 has a third hit, and three hits have no value.
    const values = Array.from({ length: 250 }, (_, index) => [index + 1, index + 1]).flat();
    const hits = [...values, 200, 0, 0, 0].reverse().map((referrer, index) => {
      const isBot = referrer > 0 && index % 2 === 1;
      return {
        link_id: 7,
        organization_id: 3,
        at: hour * hourLength + index,
        referrer,
        class: isBot ? 2 : 0,
      };
    });
    await insertRows(
      database,
      hits.map((hit) => ({ ...zeroColumns, ...hit })),
    );
    const clicksOf = (value: number) =>
      hits.filter((hit) => hit.referrer === value && hit.class === 0).length;
    const all = { all_clicks: hits.filter((hit) => hit.class === 0).length, all_hits: hits.length };
    const lowest = Array.from({ length: 98 }, (_, index) => index + 1);
    const expected = [0, 200, ...lowest].map((value) => ({
      value,
      clicks: clicksOf(value),
      hits: value === 0 || value === 200 ? 3 : 2,
      ...all,
    }));
    for (const owner of [
      { kind: 'link', id: 7, organizationId: 3 },
      { kind: 'organization', id: 3 },
    ] as const) {
      const slice = { kind: 'hits', values: [['outcome', 0]], classes: [0, 3] } as const;
      const groups = await openCounts(database, owner, slice).groups(
        'referrer',
        { from: hour, to: hour + 1 },
        100,
      );
      expect([...groups]).toEqual(expected);
    }
  });
});
