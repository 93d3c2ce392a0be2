import { expect, test } from 'bun:test';
import type { RawHit } from '../src/journal/hit.ts';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { intervals } from '../src/stats/buckets.ts';
import { statsRange } from '../src/stats/range.ts';
import { type Owner, readStats } from '../src/stats/stats.ts';
import type { Database } from '../src/storage/database.ts';
import { startApp, storeKinds } from './support/app.ts';
import { plainHit } from './support/plain-hit.ts';
import { seededRandom } from './support/seeded-random.ts';

const zones = [
  ...[
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'America/Los_Angeles',
    'America/Santiago',
    'America/St_Johns',
  ],
  ...['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Tokyo', 'Australia/Adelaide', 'Australia/Lord_Howe'],
  ...['Pacific/Auckland', 'Pacific/Chatham', 'Pacific/Kiritimati', 'Pacific/Marquesas'],
];
/**
 * Around nights when clocks change in some zones, and around a year's end, with days without visits in between. Zones left out
 * behave as in the first span.
 */
const spans: readonly (readonly [begin: string, zones: readonly string[]])[] = [
  ['2026-03-27', zones],
  [
    '2026-04-03',
    ['America/Santiago', 'Australia/Adelaide', 'Australia/Lord_Howe', 'Pacific/Auckland', 'Pacific/Chatham'],
  ],
  ['2026-10-23', ['Europe/Berlin', 'Asia/Kathmandu']],
  ['2026-12-29', ['UTC', 'America/St_Johns', 'Pacific/Kiritimati']],
];
const links = [1, 2, 3];
const owners: readonly Owner[] = [
  { kind: 'organization', id: 1 },
  { kind: 'link', id: 1, organizationId: 1 },
];

/** Some visitors visit once, some all day long, on one link or on all. */
function visitsFrom(begin: number, random: (below: number) => number): RawHit[] {
  const visits = Array.from({ length: 450 }, () => ({
    ...plainHit,
    linkId: links[random(3)] ?? 1,
    at: begin + random(4 * dayLength),
    address: `198.51.100.${1 + Math.min(random(60), random(60))}`,
    query: random(5) === 0 ? '?qr' : '',
    doNotTrack: random(20) === 0,
  }));
  return visits.toSorted((one, other) => one.at - other.at);
}

/** The number of visitors, counted once a day each, which all sums must equal. */
const dailyVisitors = (visits: readonly RawHit[]): number =>
  new Set(
    visits
      .filter(({ doNotTrack }) => !doNotTrack)
      .map(({ at, address }) => `${Math.floor(at / dayLength)} ${address}`),
  ).size;

/** Describes all inconsistencies. There is no expectation for each bucket, as there are a hundred thousand of them. */
async function inconsistencies(
  database: Database,
  owner: Owner,
  from: number,
  to: number,
  inZones: readonly string[],
  daily: number,
): Promise<string[]> {
  const ends = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const problems: string[] = [];
  for (const timezone of inZones)
    for (const interval of intervals) {
      const range = statsRange({ ...ends, timezone, interval }, to);
      const query = { owner, range, filters: {}, groupBy: undefined, rawSince: 0 };
      const found = await readStats(database, query);
      const report = (what: string) => problems.push(`${owner.kind} ${timezone} ${interval}: ${what}`);
      let [visitors, clicks] = [0, 0];
      for (const point of found.series) {
        if (point.visitors === null || point.visitors > point.clicks)
          report(`${point.start} has ${point.visitors} visitors and ${point.clicks} clicks`);
        visitors += point.visitors ?? 0;
        clicks += point.clicks;
      }
      if (visitors !== found.visitors || clicks !== found.clicks)
        report(`${visitors} visitors and ${clicks} clicks, not ${found.visitors} and ${found.clicks}`);
      // A range that starts or ends inside an hour includes all of that hour, also where a zone's midnight is inside a UTC hour.
      if (visitors !== daily) report(`${visitors} visitors, not ${daily}`);
    }
  return problems;
}

test.each(storeKinds)(
  'no bucket of any zone has more visitors than clicks, and sums agree, on %s',
  async (store) => {
    // Zones differ in the same way on both databases, so one span and every third zone are enough for PostgreSQL.
    const isWhole = store === 'sqlite';
    const app = await startApp({ store, startsAt: Date.parse('2026-03-27') });
    try {
      for (const [index, [span, zonesOfSpan]] of spans.slice(0, isWhole ? spans.length : 1).entries()) {
        const inZones = zonesOfSpan.filter((_, zone) => isWhole || zone % 3 === 0);
        const begin = Date.parse(span);
        const visits = visitsFrom(begin, seededRandom(7 + index));
        for (const visit of visits) {
          app.clock.now = visit.at;
          await app.app.clicks.append(visit);
          if (visit.at % 16 === 0) await app.app.clicks.settled();
        }
        await app.app.clicks.settled();
        const { database } = app.app.context;
        for (const owner of owners) {
          const own = visits.filter(({ linkId }) => owner.kind === 'organization' || linkId === owner.id);
          const ends = [begin - dayLength, begin + 6 * dayLength] as const;
          expect(await inconsistencies(database, owner, ...ends, inZones, dailyVisitors(own))).toEqual([]);
        }
      }
      expect(app.faults).toEqual([]);
    } finally {
      await app.stop();
    }
  },
);

test('an hour has the visitors whose first click of the day is in it, on any link', async () => {
  const day = Date.parse('2026-06-01');
  const app = await startApp({ startsAt: day + dayLength + 60_000 });
  try {
    const [visit] = visitsFrom(day, seededRandom(1)) as [RawHit];
    const clicks = [
      [1, 9, 'a'],
      [2, 10, 'a'],
      [1, 10, 'b'],
      [2, 11, 'b'],
      [2, 11, 'a'],
      [1, 24, 'a'],
    ] as const;
    for (const [linkId, hour, address] of clicks)
      await app.app.clicks.append({
        ...visit,
        linkId,
        at: day + hour * hourLength + 1,
        address: `198.51.100.${address.charCodeAt(0)}`,
        query: '',
        doNotTrack: false,
      });
    await app.app.clicks.settled();
    const hoursOf = async (owner: Owner) => {
      const range = statsRange(
        { from: '2026-06-01', to: '2026-06-02T01:00:00Z', timezone: 'UTC', interval: 'hour' },
        app.clock.now,
      );
      const query = { owner, range, filters: {}, groupBy: undefined, rawSince: 0 };
      const { series, visitorsAre } = await readStats(app.app.context.database, query);
      expect(visitorsAre).toBe('daily');
      return series.flatMap(({ visitors }, hour) => (visitors ? [[hour, visitors]] : []));
    };
    expect(await hoursOf({ kind: 'link', id: 1, organizationId: 1 })).toEqual([
      [9, 1],
      [10, 1],
      [24, 1],
    ]);
    expect(await hoursOf({ kind: 'link', id: 2, organizationId: 1 })).toEqual([
      [10, 1],
      [11, 1],
    ]);
    expect(await hoursOf({ kind: 'organization', id: 1 })).toEqual([
      [9, 1],
      [10, 1],
      [24, 1],
    ]);
  } finally {
    await app.stop();
  }
});
