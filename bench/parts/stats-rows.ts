import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { countEntry } from '../../src/ledger/counts/hour-counts.ts';
import { dimensions, rollupClasses } from '../../src/rules/click-fields.ts';
import { hourOf } from '../../src/rules/utc-time.ts';
import { seededRandom } from '../redirect/zipf.ts';
import type { SeededStore } from '../seed.ts';

export const hoursSeeded = 30 * 24;
export const hitsPerLink = 10_000;
const countries = 230;
const classes = rollupClasses.length;

export interface SeededRows {
  readonly hits: number;
  readonly linkRows: number;
  readonly organizationRows: number;
  readonly seconds: number;
  /** Ids of the links with countries. */
  readonly detailed: readonly number[];
}

/**
 * The roll-ups of 30 days in which every link had 10,000 clicks, and detailed links also a hit of each other class per hour. They are
 * written in the order of a fold, hour by hour, so that the rows of one link are not adjacent.
 */
export function seedRollUps(
  store: SeededStore,
  links: number,
  detailedEvery: number,
  now: number,
): SeededRows {
  const startedAt = performance.now();
  const database = new Database(join(store.dataDir, 'linnet.sqlite'));
  database.run('pragma cache_size = -1500000');
  database.run('pragma synchronous = off');
  const columns = ['link_id', 'hour', ...rollupClasses, 'visitors', 'loose', 'counts'];
  const insertLinkHour = database.prepare(
    `insert into link_hours (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  );
  const insertRollup = database.prepare(
    'insert into organization_rollups (organization_id, dimension, hour, class, value, hits) values (?, ?, ?, ?, ?, ?)',
  );
  const { organizationId } = store.owner;
  const [total, visitors, country, device] = (['total', 'visitors', 'country', 'device'] as const).map(
    (name) => dimensions.indexOf(name),
  ) as [number, number, number, number];
  const detailed = Array.from({ length: links }, (_, index) => index + 1).filter(
    (id) => id % detailedEvery === 0,
  );
  const clicksPerHour = hitsPerLink / hoursSeeded;
  const firstHour = hourOf(now) - hoursSeeded + 1;
  const random = seededRandom(20_261_120);
  let [linkRows, organizationRows] = [0, 0];

  insertWords(database);
  database.transaction(() => {
    for (let hour = firstHour; hour < firstHour + hoursSeeded; hour++) {
      for (let id = 1; id <= links; id++) {
        const isDetailed = id % detailedEvery === 0;
        const others = Array.from({ length: classes - 1 }, () => (isDetailed ? 1 : 0));
        const newVisitors = hour % 24 === 0 ? Math.round(clicksPerHour * 20) : 0;
        const countryHits = isDetailed
          ? drawCountries(Math.round(clicksPerHour), random)
          : new Map<number, number>();
        const counts = Array.from(countryHits, ([value, hits]) => countEntry(country, value, hits)).join('');
        insertLinkHour.run(id, hour, Math.round(clicksPerHour), ...others, newVisitors, 0, counts);
        linkRows += 1;
      }
      const clicks = Math.round(clicksPerHour * links);
      for (let classIndex = 0; classIndex < classes; classIndex++)
        insertRollup.run(organizationId, total, hour, classIndex, 0, classIndex === 0 ? clicks : links);
      for (let value = 1; value <= countries; value++)
        insertRollup.run(organizationId, country, hour, 0, value, Math.ceil(clicks / (value * 6)));
      for (let value = 0; value < 5; value++)
        insertRollup.run(organizationId, device, hour, 0, value, clicks);
      organizationRows += classes + countries + 5;
      if (hour % 24 === 0) {
        insertRollup.run(organizationId, visitors, hour, 0, 0, clicks * 20);
        organizationRows += 1;
      }
    }
  })();
  database.close();
  const seconds = (performance.now() - startedAt) / 1000;
  return { hits: links * hitsPerLink, linkRows, organizationRows, seconds, detailed };
}

function insertWords(database: Database): void {
  const insert = database.prepare('insert into words (id, word) values (?, ?)');
  for (let number = 1; number <= countries; number++) {
    const letters = [Math.floor(number / 26), number % 26].map((digit) => String.fromCharCode(65 + digit));
    insert.run(number, letters.join(''));
  }
}

/** Distributes clicks over countries: a few countries have most of them. */
function drawCountries(clicks: number, random: () => number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (let click = 0; click < clicks; click++) {
    const value = Math.min(countries, Math.floor(Math.exp(random() * Math.log(countries))));
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
