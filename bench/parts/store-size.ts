import type { Effort } from '../effort.ts';
import { figure, ratio } from '../figures.ts';
import { startLinnet } from '../program.ts';
import { seededStore } from '../seed.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';
import { type Action, create, firstPage, read, type SeededProgram } from './store-actions.ts';

/** Promised in README: the maximum ratio of the cost with a million links to that with a thousand. */
const promised = 1.5;

/** One action by a number of clients, on both stores. */
class Comparison {
  readonly name: string;
  readonly small: number[] = [];
  readonly large: number[] = [];
  readonly #action: Action;
  readonly #connections: number;

  constructor(name: string, action: Action, connections: number) {
    this.name = `${name}, ${connections === 1 ? 'alone' : `${connections} at once`}`;
    this.#action = action;
    this.#connections = connections;
  }

  async round(
    small: SeededProgram,
    large: SeededProgram,
    seconds: number,
    smallFirst: boolean,
  ): Promise<void> {
    const size = { connections: this.#connections, seconds };
    if (smallFirst) this.small.push(await this.#action(small, size));
    this.large.push(await this.#action(large, size));
    if (!smallFirst) this.small.push(await this.#action(small, size));
  }

  reset(): void {
    this.small.length = 0;
    this.large.length = 0;
  }
}

/** The cost of API calls by number of links: the same calls on a small store and on a large one, in alternation. */
export async function measureStoreSize({ store }: Effort): Promise<Report> {
  using smallStore = await seededStore(store.small);
  using largeStore = await seededStore(store.large);
  await using smallProgram = await startLinnet(smallStore.dataDir);
  await using largeProgram = await startLinnet(largeStore.dataDir);
  const small: SeededProgram = { program: smallProgram, owner: smallStore.owner, links: store.small };
  const large: SeededProgram = { program: largeProgram, owner: largeStore.owner, links: store.large };
  const comparisons = [1, 16].flatMap((connections) => [
    new Comparison('read', read, connections),
    new Comparison('create', create, connections),
    new Comparison('first page', firstPage, connections),
  ]);
  for (const comparison of comparisons) {
    await comparison.round(small, large, store.seconds, true);
    comparison.reset();
  }
  for (let round = 0; round < store.rounds; round++) {
    for (const comparison of comparisons)
      await comparison.round(small, large, store.seconds, round % 2 === 0);
  }
  return report(comparisons, small.links, large.links);
}

function report(comparisons: readonly Comparison[], few: number, many: number): Report {
  const results = comparisons.map(({ name, small, large }) => ({
    call: name,
    small_us: figure(small),
    large_us: figure(large),
    ratio: ratio(large, small),
  }));
  return {
    title: 'SQLite by number of links',
    columns: [...[few, many].map((links) => `${links.toLocaleString('en-US')}: µs`), 'ratio', 'range', ''],
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
    figures: { small_links: few, large_links: many, promised_ratio: promised, results },
  };
}

const verdict = (ratio: number): string =>
  ratio <= promised
    ? `within the promised ${promised}x`
    : `${formatNumber(ratio)}x: over the promised ${promised}x`;
