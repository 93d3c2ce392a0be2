import type { Rounds } from '../effort.ts';
import { type Figure, figure, ratio } from '../figures.ts';
import { cycle, type Load, load } from '../load.ts';
import { callApi, callBytes, type Owner } from '../owner.ts';
import type { Program } from '../program.ts';

/** A running program on a seeded store. */
export interface SeededProgram {
  readonly program: Program;
  readonly owner: Owner;
  readonly links: number;
}

interface LoadSize {
  readonly connections: number;
  readonly seconds: number;
}

/** Microseconds a request: the median latency of a single client; for several, the total time divided by the number of requests. */
export type Action = (side: SeededProgram, size: LoadSize) => Promise<number>;

/** At most one page, so that a single call finds all of them again. */
const maxCreations = 1_000;
const createdName = 'made by the bench';

const read: Action = ({ program, owner, links }, size) => {
  const anyPath = () => `/api/v1/link/${1 + Math.floor(Math.random() * links)}`;
  const reads = Array.from({ length: 5_000 }, () => callBytes(program, owner, 'GET', anyPath()));
  return cost(program, { ...size, status: 200, next: cycle(reads) });
};

const create: Action = async (side, size) => {
  const { program, owner } = side;
  const link = { destination_url: 'https://shop.example.com/new?utm_source=mail', name: createdName };
  const bytes = callBytes(program, owner, 'POST', '/api/v1/link', link);
  const measured = await cost(program, {
    ...size,
    maxRequests: maxCreations,
    status: 201,
    next: () => bytes,
  });
  await deleteCreated(side);
  return measured;
};

const firstPage: Action = ({ program, owner }, size) => {
  const bytes = callBytes(program, owner, 'GET', '/api/v1/link');
  return cost(program, { ...size, status: 200, next: () => bytes });
};

export const apiActions: Readonly<Record<string, Action>> = { read, create, 'first page': firstPage };

/** An action's cost on both stores. */
export interface Compared {
  readonly call: string;
  readonly small_us: Figure;
  readonly large_us: Figure;
  readonly ratio: Figure;
}

/** Each action by one client and by several, on a small store and on a large one, in alternation. */
export async function compareSizes(
  sides: Readonly<Record<'small' | 'large', SeededProgram>>,
  actions: Readonly<Record<string, Action>>,
  { rounds, seconds }: Rounds,
  prepare = async () => {},
): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const connections of [1, 16]) {
    for (const [name, action] of Object.entries(actions)) {
      const times: { small: number[]; large: number[] } = { small: [], large: [] };
      await prepare();
      // The first round warms up.
      for (let round = 0; round <= rounds; round++) {
        const order = round % 2 ? (['small', 'large'] as const) : (['large', 'small'] as const);
        for (const size of order) {
          const time = await action(sides[size], { connections, seconds });
          if (round > 0) times[size].push(time);
        }
      }
      compared.push({
        call: `${name}, ${connections === 1 ? 'alone' : `${connections} at once`}`,
        small_us: figure(times.small),
        large_us: figure(times.large),
        ratio: ratio(times.large, times.small),
      });
    }
  }
  return compared;
}

export async function cost(program: Program, plan: Load): Promise<number> {
  const { p50, perSecond } = await load(program, plan);
  return plan.connections === 1 ? p50 * 1000 : 1e6 / perSecond;
}

/** Keeps the number of links constant. */
async function deleteCreated({ program, owner }: SeededProgram): Promise<void> {
  const { links } = await callApi<{ links: { id: number; name: string | null }[] }>(
    program,
    'GET',
    `/api/v1/link?limit=${maxCreations}`,
    { credential: owner.key },
  );
  const created = links.filter(({ name }) => name === createdName);
  const deletions = created.map(({ id }) => callBytes(program, owner, 'DELETE', `/api/v1/link/${id}`));
  await load(program, {
    connections: 16,
    seconds: 30,
    maxRequests: created.length,
    status: 204,
    next: cycle(deletions),
  });
}
