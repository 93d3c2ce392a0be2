import { describe, expect, spyOn, test } from 'bun:test';
import { ClickhouseHits } from '../src/ledger/clickhouse/clickhouse-hits.ts';
import { classCodes, hitColumns } from '../src/rules/click-fields.ts';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { freshClickhouse, hasClickhouse, queryClickhouse, serverOf } from './support/clickhouse.ts';
import { eventually } from './support/eventually.ts';

const december = Date.UTC(2026, 11);

describe.skipIf(!(await hasClickhouse()))('hits in ClickHouse', () => {
  test('of an earlier version are migrated, with empty new columns', async () => {
    const url = await freshClickhouse();
    const earlierColumns = hitColumns.filter((column) => column !== 'alias');
    const columns = earlierColumns.map(
      (name) => `${name} ${name === 'at' ? 'Int64' : 'UInt64'} codec(ZSTD(1))`,
    );
    await queryClickhouse(
      url,
      `create table hits (id UInt64 codec(Delta, ZSTD(1)), ${columns.join(', ')}, index by_id id type minmax granularity 1,
         projection by_visitor (select country, browser order by browser))
       engine = MergeTree partition by toYYYYMM(fromUnixTimestamp64Milli(at, 'UTC')) order by (organization_id, link_id, at)
       settings non_replicated_deduplication_window = 10000`,
    );
    await queryClickhouse(
      url,
      `insert into hits (id, organization_id, link_id, at, country, browser)
       select number + 1, 1, 1 + number % 3, ${december} - 50000 + number * 1000, number % 5, number % 2 from numbers(100)`,
    );
    // The earlier version is still building the projection, which takes some seconds.
    await queryClickhouse(
      url,
      `alter table hits materialize projection by_visitor, update country = country where sleepEachRow(0.02) = 0
       settings mutations_sync = 0`,
    );
    const migrated = ClickhouseHits.of(serverOf(url));
    await migrated.prepare('this');
    const queryResult = () =>
      migrated.ledger.countAndGroups(
        {
          owner: { kind: 'organization', id: 1 },
          classes: [0],
          values: [
            ['country', 3],
            ['browser', 1],
          ],
          from: december - dayLength,
          to: december + dayLength,
        },
        [],
        'alias',
        10,
      );
    const projectionRows = async () =>
      queryClickhouse(
        url,
        'select name, sum(rows) as rows from system.projection_parts where active and database = currentDatabase() group by name order by name format TabSeparated',
      );
    const expected = {
      counts: [
        { value: december / hourLength - 1, class: 0, hits: 5 },
        { value: december / hourLength, class: 0, hits: 5 },
      ],
      groups: [{ value: 0, clicks: 10, hits: 10, all_clicks: 10, all_hits: 10 }],
    };
    const sortedResult = async () => {
      const { counts, groups } = await queryResult();
      return { counts: counts.toSorted((one, other) => one.value - other.value), groups };
    };
    expect(await sortedResult()).toEqual(expected);
    await eventually(
      async () =>
        (await projectionRows()).trim() ===
        'by_country\t100\nby_origin\t100\norigin_hours\t2\nvisitor_hours\t20',
      'all projections of all hits',
    );
    expect(await sortedResult()).toEqual(expected);
  });

  test('are summed from the hourly projection if it has all columns of a query', async () => {
    const url = await freshClickhouse();
    const clickhouseHits = ClickhouseHits.of(serverOf(url));
    await clickhouseHits.prepare('this');
    await queryClickhouse(
      url,
      `insert into hits (id, organization_id, link_id, at, country, browser, device)
       select number + 1, 1, 1, ${december} + number, number % 5, number % 2, number % 3 from numbers(100000)`,
    );
    await queryClickhouse(url, 'optimize table hits final settings mutations_sync = 1');
    const filter = {
      owner: { kind: 'organization', id: 1 },
      values: [['country', 3]],
      from: december,
      to: december + dayLength,
    } as const;
    const statements = await statementsOf(async () => {
      expect(await clickhouseHits.ledger.groups(filter, 'browser', 1)).toEqual([
        { value: 0, clicks: 10_000, hits: 10_000, all_clicks: 20_000, all_hits: 20_000 },
      ]);
      await clickhouseHits.ledger.count(filter, 'hour', [december / hourLength]);
      await clickhouseHits.ledger.countAndGroups(filter, [december / hourLength], 'device', 10);
    });
    for (const sql of statements)
      expect(
        await queryClickhouse(url, `explain ${sql.replace(/format \w+$/, '')} format TabSeparated`),
      ).toContain('(visitor_hours)');
    expect(statements).toHaveLength(3);
  });

  test('are reclassified while projections of them are being built', async () => {
    const url = await freshClickhouse();
    const clickhouseHits = ClickhouseHits.of(serverOf(url));
    await clickhouseHits.prepare('this');
    await queryClickhouse(
      url,
      `insert into hits (id, organization_id, link_id, at, country, browser)
       select number + 1, 1, 1 + number % 3, ${december} + number, number % 5, number % 2 from numbers(100)`,
    );
    // The update in the same statement makes the projection take seconds.
    await queryClickhouse(
      url,
      `alter table hits materialize projection by_origin, update country = country where sleepEachRow(0.025) = 0
       settings mutations_sync = 0`,
    );
    const owner = { kind: 'organization', id: 1 } as const;
    const [from, to] = [december, december + dayLength];
    await clickhouseHits.keepPart('1 0', [1, 2, 3]);
    await clickhouseHits.correctPart('1 0', {
      organizationId: 1,
      owner,
      from,
      to,
      change: { from: 0, to: classCodes.bot, isReversal: false },
    });
    await clickhouseHits.finishCorrection();
    expect(
      await queryClickhouse(
        url,
        'select count() from hits group by class order by class format TabSeparated',
      ),
    ).toBe('97\n3\n');
  });
});

/** The statements that are sent to ClickHouse during `work`. */
async function statementsOf(work: () => Promise<void>): Promise<readonly string[]> {
  const fetchSpy = spyOn(globalThis, 'fetch');
  try {
    await work();
    return fetchSpy.mock.calls.map(([, init]) => String(init?.body));
  } finally {
    fetchSpy.mockRestore();
  }
}
