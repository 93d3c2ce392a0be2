import type { HitFilter, Ledger } from '../../src/ledger/ledger.ts';
import type { HitColumn } from '../../src/rules/click-fields.ts';
import { hourLength } from '../../src/rules/durations.ts';
import { type Figure, figure } from '../figures.ts';
import { busyLink, days } from './months-of-hits.ts';

export const organizationId = 1;
const click = 0;
const bot = 3;

export interface LedgerQuery {
  readonly name: string;
  /** Whether it has two filters: a latency is promised only for those. */
  readonly hasTwoFilters: boolean;
  readonly run: () => Promise<unknown>;
}

/** Queries over all hits of an organization, filtered by its most frequent values. */
export async function ledgerQueries(ledger: Ledger): Promise<readonly LedgerQuery[]> {
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
  const lastHour = Math.floor(newest.at / hourLength) + 1;
  const starts = Array.from({ length: days + 2 }, (_, day) => lastHour - (days + 2 - day) * 24);
  const times = { from: (starts[0] ?? 0) * hourLength, to: lastHour * hourLength };
  const by = (...names: HitColumn[]): HitFilter => ({
    ...all,
    ...times,
    classes: [click],
    values: names.map((name) => [name, largest.get(name) ?? 0] as const),
  });
  const ofLink = { kind: 'link', id: busyLink, organizationId } as const;
  const query = (name: string, hasTwoFilters: boolean, run: () => Promise<unknown>): LedgerQuery => ({
    name,
    hasTwoFilters,
    run,
  });
  const counted = (...names: HitColumn[]) =>
    query(names.join(' and '), true, () => ledger.count(by(...names), 'hour', starts));
  const grouped = (group: HitColumn, ...names: HitColumn[]) =>
    query(`${names.join(' and ')}, by ${group}`, names.length > 1, () =>
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
    query('country and browser of the busiest link, by referrer', true, () =>
      ledger.countAndGroups({ ...by('country', 'browser'), owner: ofLink }, starts, 'referrer', 100),
    ),
    grouped('utm_campaign', 'country'),
    grouped('referrer', 'device'),
    query('bots, by country', false, () =>
      ledger.groups({ ...all, ...times, classes: [bot] }, 'country', 100),
    ),
    query('clicks, by referrer', false, () =>
      ledger.groups({ ...all, ...times, classes: [click] }, 'referrer', 100),
    ),
    query('the newest 50', false, () => ledger.before(all, page)),
    query('the newest 50 of a country and a browser', false, () =>
      ledger.before(by('country', 'browser'), page),
    ),
  ];
}

export interface QueryTimes {
  readonly name: string;
  readonly hasTwoFilters: boolean;
  /** The latency of the ledger in milliseconds. */
  readonly waited: Figure;
  /** The milliseconds that ClickHouse reports; 0 for other stores. */
  readonly inServer: Figure;
}

/** A query that has run at least three times isn't run again once these took more milliseconds than this in total. */
const maxTotalTime = 20_000;

/** Runs the queries in turn, so that each finds the caches as the others left them; the first round warms up. */
export async function timeQueries(
  queries: readonly LedgerQuery[],
  rounds: number,
): Promise<readonly QueryTimes[]> {
  const waited = queries.map((): number[] => []);
  const inServer = queries.map((): number[] => []);
  using summaries = new ServerTimes();
  for (let round = 0; round <= rounds; round++)
    for (const [index, { run }] of queries.entries()) {
      const previousTimes = waited[index] ?? [];
      if (previousTimes.length >= 3 && previousTimes.reduce((sum, time) => sum + time, 0) > maxTotalTime)
        continue;
      summaries.milliseconds = 0;
      const startedAt = performance.now();
      await run();
      if (round === 0) continue;
      previousTimes.push(performance.now() - startedAt);
      inServer[index]?.push(summaries.milliseconds);
    }
  return queries.map(({ name, hasTwoFilters }, index) => ({
    name,
    hasTwoFilters,
    waited: figure(waited[index] ?? []),
    inServer: figure(inServer[index] ?? []),
  }));
}

/** Reads ClickHouse's own time from each HTTP response: otherwise the transfer of the response would count, too. */
class ServerTimes implements Disposable {
  milliseconds = 0;
  readonly #fetch = globalThis.fetch;

  constructor() {
    const measuredFetch = async (...parameters: Parameters<typeof fetch>): Promise<Response> => {
      const response = await this.#fetch(...parameters);
      const { elapsed_ns = 0 } = JSON.parse(response.headers.get('x-clickhouse-summary') ?? '{}');
      this.milliseconds += Number(elapsed_ns) / 1e6;
      return response;
    };
    globalThis.fetch = Object.assign(measuredFetch, { preconnect: this.#fetch.preconnect });
  }

  [Symbol.dispose](): void {
    globalThis.fetch = this.#fetch;
  }
}
