import { describe, expect, test } from 'bun:test';
import { createApp } from '../src/app.ts';
import { journalsIn } from '../src/journal/files.ts';
import type { RawHit } from '../src/journal/hit.ts';
import { outcomes, targets } from '../src/rules/click-fields.ts';
import { firefox } from './support/agents-of-people.ts';
import { configFor } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { rebuildRollups, rollUps, wholeLedger } from './support/hits.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { plainHit } from './support/plain-hit.ts';

const agents = [
  firefox,
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'curl/8.5.0',
];
const pick = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;

/** Hits of an earlier process, and milliseconds between two of them. */
interface Leftover {
  readonly count: number;
  readonly interval: number;
}
/** Hits that are recorded while the leftover journal is folded. */
const newCount = 200;
const lastAt = Date.UTC(2026, 10, 19, 0, 45);

/** Hits of every kind on forty links of three organizations, before and after midnight. */
function hitAt(index: number, { count, interval }: Leftover): RawHit {
  const linkId = 1 + ((index * index) % 41) + (index % 7);
  const outcome = index % 11 === 0 ? pick(outcomes, index) : 'redirect';
  return {
    ...plainHit,
    linkId,
    organizationId: 1 + (linkId % 3),
    at: lastAt - (count + newCount - index) * interval,
    outcome,
    target: outcome === 'redirect' ? (pick(targets, index) as 'default') : null,
    method: index % 29 === 0 ? 'HEAD' : 'GET',
    address: `198.51.${index % 3}.${index % 97}`,
    userAgent: pick(agents, index >> 2),
    acceptLanguage: pick(['de-DE,de;q=0.9', 'fr', ''], index),
    referer: index % 4 === 0 ? `https://site-${index % 13}.example.com/` : '',
    query: index % 5 === 0 ? `?utm_source=mail&utm_campaign=week-${index % 9}` : index % 6 === 0 ? '?qr' : '',
    doNotTrack: index % 17 === 0,
    countryHint: index % 3 === 0 ? 'SE' : '',
  };
}

/**
 * SQLite packs hits of a batch of at least 4,096, if all of them are within an hour. PostgreSQL packs them in any case, from eight
 * hits of a link.
 */
const kinds = [
  ['sqlite', 'packs', { count: 4_300, interval: 690 }],
  ['sqlite', 'rows', { count: 4_300, interval: 1_900 }],
  ['postgres', 'packs', { count: 2_400, interval: 1_150 }],
] as const;

describe.each(kinds)(
  'a large leftover journal on %s, with hits that are stored as %s,',
  (store, storedAs, leftoverHits) => {
    const leftoverCount = leftoverHits.count;
    test('is stored unchanged in the ledger and in all totals, each hit once, together with new hits', async () => {
      await using folder = await storeFolder();
      const DATABASE_URL = store === 'postgres' ? await migratedPostgres() : '';
      const config = configFor(folder.path, DATABASE_URL);
      // The visitors of the previous day are still stored, so that the rollups can be rebuilt.
      const now = () => Date.UTC(2026, 10, 19, 0, 50);
      const first = await createApp(config, { hits: 'unfolded', now });
      for (let index = 0; index < leftoverCount; index++)
        await first.clicks.append(hitAt(index, leftoverHits));
      await first.stop();

      const second = await createApp(config, { now });
      for (let index = 0; index < newCount; index++)
        await second.clicks.append(hitAt(leftoverCount + index, leftoverHits));
      await second.clicks.settled();
      await eventually(() => journalsIn(folder.path).length === 1, 'the earlier journal to be folded');
      await second.clicks.settled();
      const { database } = second.context;
      const rows = await wholeLedger(database.read);
      expect(rows.length).toBe(leftoverCount + newCount);
      const { length: unpackedCount } = await database.read.selectFrom('hits').select('id').execute();
      if (store === 'sqlite')
        expect(unpackedCount).toBe(storedAs === 'packs' ? newCount : leftoverCount + newCount);
      else expect(unpackedCount).toBeLessThanOrEqual(newCount);
      expect(new Set(rows.map((row) => row.at)).size).toBe(leftoverCount + newCount);
      const leftover = rows.filter((row) => row.at < hitAt(leftoverCount, leftoverHits).at);
      for (const link of new Set(rows.map((row) => row.link_id))) {
        const instants = leftover.filter((row) => row.link_id === link).map((row) => row.at);
        expect(instants).toEqual(instants.toSorted((one, other) => one - other));
      }
      const folded = await rollUps(database.read);
      expect(folded.links.length).toBeGreaterThan(80);
      await database.write((queries) => rebuildRollups(queries));
      expect(folded).toEqual(await rollUps(database.read));
      await second.stop();
    });
  },
);
