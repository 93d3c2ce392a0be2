import { describe, expect, test } from 'bun:test';
import { createApp } from '../src/app.ts';
import { loadConfig } from '../src/config/load.ts';
import { journalsIn } from '../src/journal/files.ts';
import type { RawHit } from '../src/journal/hit.ts';
import { outcomes, targets } from '../src/journal/hit.ts';
import { storeKinds } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { rebuildRollups, rollUps, wholeLedger } from './support/hits.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { plainHit } from './support/plain-hit.ts';
import { temporaryFolder } from './support/program.ts';

const agents = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'curl/8.5.0',
];
const pick = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;

/** Milliseconds between two hits: all are within the hour that a pack may span on SQLite, or within more. */
const paces = { packs: 250, rows: 700 };

const hits = 12_000;
/** Hits that come while the others are folded. */
const later = 200;
const lastAt = Date.UTC(2026, 10, 19, 0, 45);

/** Hits of three organizations on forty links over a midnight, of every kind. */
function hitAt(index: number, pace: number): RawHit {
  const linkId = 1 + ((index * index) % 41) + (index % 7);
  const outcome = index % 11 === 0 ? pick(outcomes, index) : 'redirect';
  return {
    ...plainHit,
    linkId,
    organizationId: 1 + (linkId % 3),
    at: lastAt - (hits + later - index) * pace,
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

const kinds = storeKinds.flatMap((store) =>
  Object.entries(paces).map(([as, pace]) => [store, as, pace] as const),
);

describe.each(kinds)('a large leftover journal on %s, for %s where there are packs,', (store, as, pace) => {
  test('is stored in the ledger and all totals unchanged, each hit once, along with new hits', async () => {
    await using folder = await temporaryFolder();
    const DATABASE_URL = store === 'postgres' ? await migratedPostgres() : '';
    const config = loadConfig({
      PORT: '0',
      DATA_DIR: folder.path,
      DATABASE_URL,
      MISS_LIMIT: '0',
      JOURNAL_KEEP_MINUTES: '0',
    });
    // The visitors of the previous day are still there to be counted again.
    const now = () => Date.UTC(2026, 10, 19, 0, 50);
    const first = await createApp(config, { hits: 'unfolded', now });
    for (let index = 0; index < hits; index++) await first.clicks.append(hitAt(index, pace));
    await first.stop();

    const second = await createApp(config, { now });
    for (let index = 0; index < later; index++) await second.clicks.append(hitAt(hits + index, pace));
    await second.clicks.settled();
    await eventually(() => journalsIn(folder.path).length === 1, 'the earlier journal to be folded');
    await second.clicks.settled();
    const { database } = second.context;
    const rows = await wholeLedger(database.read);
    expect(rows.length).toBe(hits + later);
    const { length: unpacked } = await database.read.selectFrom('hits').select('id').execute();
    if (store === 'sqlite') expect(unpacked).toBe(as === 'packs' ? later : hits + later);
    else expect(unpacked).toBeLessThanOrEqual(later);
    expect(new Set(rows.map((row) => row.at)).size).toBe(hits + later);
    const leftover = rows.filter((row) => row.at < hitAt(hits, pace).at);
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
});
