import type { Effort } from '../effort.ts';
import { figure, ratio } from '../figures.ts';
import { startLinnet } from '../program.ts';
import { seededStore } from '../seed.ts';
import { number, type Report, range } from '../table.ts';
import { type Action, create, firstPage, read, type Side } from './store-actions.ts';

/** README: with a million links nothing of this costs more than so many times what it costs with a thousand. */
const promised = 1.5;

/** One action by so many clients, on both stores. */
class Contest {
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

  async round(small: Side, large: Side, seconds: number, smallFirst: boolean): Promise<void> {
    const crowd = { connections: this.#connections, seconds };
    if (smallFirst) this.small.push(await this.#action(small, crowd));
    this.large.push(await this.#action(large, crowd));
    if (!smallFirst) this.small.push(await this.#action(small, crowd));
  }

  forget(): void {
    this.small.length = 0;
    this.large.length = 0;
  }
}

/** What the API costs as links grow in number: the same calls on a small store and on a large one, turn by turn. */
export async function measureStoreSize({ store }: Effort): Promise<Report> {
  using smallStore = await seededStore(store.small);
  using largeStore = await seededStore(store.large);
  await using smallProgram = await startLinnet(smallStore.dataDir);
  await using largeProgram = await startLinnet(largeStore.dataDir);
  const small: Side = { program: smallProgram, owner: smallStore.owner, links: store.small };
  const large: Side = { program: largeProgram, owner: largeStore.owner, links: store.large };
  const contests = [1, 16].flatMap((connections) => [
    new Contest('read', read, connections),
    new Contest('create', create, connections),
    new Contest('first page', firstPage, connections),
  ]);
  for (const contest of contests) {
    await contest.round(small, large, store.seconds, true);
    contest.forget();
  }
  for (let round = 0; round < store.rounds; round++) {
    for (const contest of contests) await contest.round(small, large, store.seconds, round % 2 === 0);
  }
  return report(contests, small.links, large.links);
}

function report(contests: readonly Contest[], few: number, many: number): Report {
  const results = contests.map(({ name, small, large }) => ({
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
      number(small_us.median),
      number(large_us.median),
      number(ratio.median),
      range(ratio),
      verdict(ratio.median),
    ]),
    notes: [
      'µs a request: alone the median wait; with many at once the time divided by the requests.',
      "The ratio is the median of the rounds' own ratios. What a turn created is deleted before the next.",
    ],
    figures: { small_links: few, large_links: many, promised_ratio: promised, results },
  };
}

const verdict = (ratio: number): string =>
  ratio <= promised
    ? `within the ${promised}x that is promised`
    : `${number(ratio)}x: over the ${promised}x that is promised`;
