import type { Effort } from '../effort.ts';
import { startLinnet } from '../program.ts';
import { seededStore } from '../seed.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';
import { apiActions, compareSizes } from './store-actions.ts';

/** Promised in README: the maximum ratio of the cost with a million links to that with a thousand. */
const promised = 1.5;

/** The cost of API calls by number of links: the same calls on a small store and on a large one, in alternation. */
export async function measureStoreSize({ store }: Effort): Promise<Report> {
  using smallStore = await seededStore(store.small);
  using largeStore = await seededStore(store.large);
  await using smallProgram = await startLinnet(smallStore.dataDir);
  await using largeProgram = await startLinnet(largeStore.dataDir);
  const small = { program: smallProgram, owner: smallStore.owner, links: store.small };
  const large = { program: largeProgram, owner: largeStore.owner, links: store.large };
  const results = await compareSizes({ small, large }, apiActions, store);
  return {
    title: 'SQLite by number of links',
    columns: [
      ...[store.small, store.large].map((links) => `${links.toLocaleString('en-US')}: µs`),
      'ratio',
      'range',
      '',
    ],
    rows: results.map(({ call, small_us, large_us, ratio }) => [
      call,
      formatNumber(small_us.median),
      formatNumber(large_us.median),
      formatNumber(ratio.median),
      formatRange(ratio),
      verdict(ratio.median),
    ]),
    notes: [
      'µs a request: for one client the median latency; for several the total time divided by the requests.',
      "The ratio is the median of each round's ratio. Created links are deleted before the next turn.",
    ],
    figures: { small_links: store.small, large_links: store.large, promised_ratio: promised, results },
  };
}

const verdict = (ratio: number): string =>
  ratio <= promised
    ? `within the promised ${promised}x`
    : `${formatNumber(ratio)}x: over the promised ${promised}x`;
