import type { HitFilter, Ledger } from '../../src/ledger/ledger.ts';
import type { HitColumn } from '../../src/rules/click-fields.ts';
import { type Figure, figure } from '../figures.ts';
import { busyLink, days } from './months-of-hits.ts';

export const organizationId = 1;
const hour = 3_600_000;
const click = 0;
const bot = 3;

export interface Question {
  readonly name: string;
  /** Whether it is one of those that a time is promised for. */
  readonly hasTwoFilters: boolean;
  readonly ask: () => Promise<unknown>;
}

/** Questions about all hits of an organization, by the values that most of its clicks have. */
export async function questionsTo(ledger: Ledger): Promise<readonly Question[]> {
  const all: HitFilter = { owner: { kind: 'organization', id: organizationId } };
  const page = { before: undefined, limit: 51, offset: 0 };
  const [newest] = (await ledger.before(all, page)).hits;
  if (newest === undefined) throw new Error('no hits');
  const largest = new Map<HitColumn, number>();
  const columns = ['country', 'browser', 'device', 'os', 'language', 'referrer', 'utm_campaign'] as const;
  for (const column of columns) {
    const groups = await ledger.groups({ ...all, classes: [click] }, column, 2);
    largest.set(column, (groups.find(({ value }) => value > 0 || column === 'device') ?? { value: 0 }).value);
  }
  const lastHour = Math.floor(newest.at / hour) + 1;
  const starts = Array.from({ length: days + 2 }, (_, day) => lastHour - (days + 2 - day) * 24);
  const times = { from: (starts[0] ?? 0) * hour, to: lastHour * hour };
  const by = (...names: HitColumn[]): HitFilter => ({
    ...all,
    ...times,
    classes: [click],
    values: names.map((name) => [name, largest.get(name) ?? 0] as const),
  });
  const ofLink = { kind: 'link', id: busyLink, organizationId } as const;
  const question = (name: string, hasTwoFilters: boolean, ask: () => Promise<unknown>): Question => ({
    name,
    hasTwoFilters,
    ask,
  });
  const counted = (...names: HitColumn[]) =>
    question(names.join(' and '), true, () => ledger.count(by(...names), 'hour', starts));
  const grouped = (group: HitColumn, ...names: HitColumn[]) =>
    question(`${names.join(' and ')}, by ${group}`, names.length > 1, () =>
      ledger.countAndGroups(by(...names), starts, group, 100),
    );
  return [
    counted('country', 'browser'),
    counted('device', 'os'),
    counted('referrer', 'device'),
    counted('language', 'os'),
    counted('utm_campaign', 'referrer'),
    grouped('referrer', 'country', 'browser'),
    grouped('os', 'device', 'country'),
    grouped('country', 'device', 'browser'),
    grouped('browser', 'utm_campaign', 'country'),
    question('country and browser of the busiest link, by referrer', true, () =>
      ledger.countAndGroups({ ...by('country', 'browser'), owner: ofLink }, starts, 'referrer', 100),
    ),
    grouped('utm_campaign', 'country'),
    grouped('referrer', 'device'),
    question('bots, by country', false, () =>
      ledger.groups({ ...all, ...times, classes: [bot] }, 'country', 100),
    ),
    question('clicks, by referrer', false, () =>
      ledger.groups({ ...all, ...times, classes: [click] }, 'referrer', 100),
    ),
    question('the newest 50', false, () => ledger.before(all, page)),
    question('the newest 50 of a country and a browser', false, () =>
      ledger.before(by('country', 'browser'), page),
    ),
  ];
}

export interface Answered {
  readonly name: string;
  readonly hasTwoFilters: boolean;
  /** Milliseconds until the ledger has answered. */
  readonly waited: Figure;
  /** Milliseconds that the server of hits says it took; 0 where there is none. */
  readonly inServer: Figure;
}

/** Milliseconds after which a question isn't asked again that was asked three times. */
const longEnough = 20_000;

/** In turn, so that each finds what the others have left in memory; the first round warms up. */
export async function answered(questions: readonly Question[], rounds: number): Promise<readonly Answered[]> {
  const waited = questions.map((): number[] => []);
  const inServer = questions.map((): number[] => []);
  using summaries = new ServerTimes();
  for (let round = 0; round <= rounds; round++)
    for (const [index, { ask }] of questions.entries()) {
      const before = waited[index] ?? [];
      if (before.length >= 3 && before.reduce((sum, some) => sum + some, 0) > longEnough) continue;
      summaries.milliseconds = 0;
      const begun = performance.now();
      await ask();
      if (round === 0) continue;
      before.push(performance.now() - begun);
      inServer[index]?.push(summaries.milliseconds);
    }
  return questions.map(({ name, hasTwoFilters }, index) => ({
    name,
    hasTwoFilters,
    waited: figure(waited[index] ?? []),
    inServer: figure(inServer[index] ?? []),
  }));
}

/** What ClickHouse says of each answer over HTTP: without it, what carries the answer here would count as ClickHouse's. */
class ServerTimes implements Disposable {
  milliseconds = 0;
  readonly #fetch = globalThis.fetch;

  constructor() {
    const listening = async (...given: Parameters<typeof fetch>): Promise<Response> => {
      const answer = await this.#fetch(...given);
      const { elapsed_ns = 0 } = JSON.parse(answer.headers.get('x-clickhouse-summary') ?? '{}');
      this.milliseconds += Number(elapsed_ns) / 1e6;
      return answer;
    };
    globalThis.fetch = Object.assign(listening, { preconnect: this.#fetch.preconnect });
  }

  [Symbol.dispose](): void {
    globalThis.fetch = this.#fetch;
  }
}
