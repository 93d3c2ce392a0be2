import { expect } from 'bun:test';
import type { HitCount, HitFilter, Ledger, Owner, StoredHit } from '../../src/ledger/ledger.ts';
import { classes, type HitColumn, rollupClassOf } from '../../src/rules/click-fields.ts';
import { hourLength, minuteLength } from '../../src/rules/durations.ts';
import { hourOf } from '../../src/rules/utc-time.ts';
import { type NewHit, zeroColumns } from './batch-folder.ts';

type Draw = (below: number) => number;

const linkOwner = (id: number): Owner => ({ kind: 'link', id, organizationId: 1 + (id % 2) });

/** Random hits of two organizations with some links each, within the hour that a pack may span. Few have texts; one text is very rare. */
export const randomHits = (draw: Draw, count: number, from: number): NewHit[] =>
  Array.from({ length: count }, () => {
    const organization = 1 + Number(draw(10) < 3);
    const outcome = draw(9) === 0 ? 1 : 0;
    return {
      ...zeroColumns,
      link_id: 2 * (1 + Math.min(draw(40), draw(40))) + organization - 1,
      organization_id: organization,
      at: from + draw(30 * minuteLength),
      outcome,
      target: outcome === 0 ? 1 : 0,
      class: draw(4) === 0 ? draw(classes.length - 2) : draw(900) === 0 ? classes.length - 1 : 0,
      reason: draw(5),
      device: draw(3),
      source: Number(draw(20) === 0),
      country: 1 + draw(400),
      os: 400,
      browser: 1 + draw(2),
      language: draw(2) * 70_000,
      referrer: draw(3) * draw(2 ** 30) * 8,
      utm_source: draw(700) === 0 ? 5 : 0,
      utm_campaign: draw(7),
      rule: draw(9) === 0 ? 7 : 0,
      variant: draw(9) === 0 ? 8 + draw(2) : 0,
      region: draw(3),
      city: draw(3) * draw(2 ** 30),
      alias: draw(2_000) === 0 ? 6 : 0,
    };
  });

/** The links that `randomHits` draws from, by organization. */
export const randomLinks = new Map(
  [1, 2].map((organization) => [
    organization,
    Array.from({ length: 40 }, (_, index) => 2 * (1 + index) + organization - 1),
  ]),
);

/** A reference implementation that scans every hit; a ledger with the same hits must give the same answers. */
export class ReferenceLedger {
  /** In order of their ids. */
  hits: readonly StoredHit[] = [];
  readonly #draw: Draw;
  readonly #earliest: number;

  /** `begin` is the time of the earliest hits. */
  constructor(draw: Draw, earliest: number) {
    this.#draw = draw;
    this.#earliest = earliest;
  }

  /** With all hits of a ledger. */
  static async of(ledger: Ledger, draw: Draw, earliest: number): Promise<ReferenceLedger> {
    const reference = new ReferenceLedger(draw, earliest);
    await reference.read(ledger);
    return reference;
  }

  /** Loads all hits of a ledger, of both organizations. */
  async read(ledger: Ledger): Promise<void> {
    const page = { before: undefined, limit: 100_000, offset: 0 };
    const all = await Promise.all(
      [1, 2].map((id) => ledger.before({ owner: { kind: 'organization', id } }, page)),
    );
    this.hits = all.flatMap(({ hits }) => hits).sort((one, other) => one.id - other.id);
  }

  filtered(filter: HitFilter): readonly StoredHit[] {
    return this.hits.filter((hit) => passes(hit, filter));
  }

  /** Random filters: owners with many, few or no hits; up to three conditions; whole hours and other ranges. */
  randomFilter(): HitFilter {
    const draw = this.#draw;
    const owner: Owner =
      draw(2) === 0
        ? { kind: 'organization', id: 1 + draw(3), links: this.#someLinks() }
        : linkOwner(2 + draw(40));
    const sample = this.hits[draw(this.hits.length)] as StoredHit;
    const columns: HitColumn[] = [
      'country',
      'browser',
      'device',
      'utm_source',
      'utm_campaign',
      'referrer',
      'rule',
      'variant',
      'region',
      'alias',
      'os',
    ];
    const values = Array.from({ length: draw(4) }, () => {
      const column = columns[draw(columns.length)] ?? 'os';
      return [column, draw(8) === 0 ? -1 : sample[column]] as const;
    });
    const hour = () => (hourOf(this.#earliest) + draw(4)) * hourLength;
    const from = [undefined, hour(), this.#earliest + draw(100) * minuteLength][draw(3)];
    const to = [undefined, hour() + hourLength, this.#earliest + draw(200) * minuteLength + 1][draw(3)];
    const wanted = [undefined, [0], [0, 1], [2, 3], [7], [-1], [8]][draw(7)];
    return { owner, values, from, to, classes: wanted };
  }

  /** Most links, a few, none, or no restriction. */
  #someLinks(): readonly number[] | undefined {
    const tenths = [2, 9, 0, 10][this.#draw(4)] ?? 0;
    if (tenths === 10) return undefined;
    return Array.from({ length: 90 }, (_, link) => link).filter(() => this.#draw(10) < tenths);
  }

  /** Compares the answers to every kind of query, for this many random filters. */
  async expectSameAnswers(ledger: Ledger, times: number): Promise<void> {
    for (let time = 0; time < times; time++) await this.#expectFor(ledger, this.randomFilter());
  }

  async #expectFor(ledger: Ledger, filter: HitFilter): Promise<void> {
    const draw = this.#draw;
    const hits = this.filtered(filter);
    const counted = hits.map((hit) => ({ hit, class: rollupClassOf(hit.class, hit.outcome), hits: 1 }));
    expect(sumsOf(await ledger.count(filter, 'hour'))).toEqual(
      sumsOf(counted.map((count) => ({ ...count, value: hourOf(count.hit.at) }))),
    );
    const [width, first] = [1 + draw(3), hourOf(this.#earliest) - draw(3)];
    const starts = Array.from({ length: 1 + draw(5) }, (_, index) => first + index * width);
    const bucketed = (counts: readonly HitCount[]) =>
      sumsOf(
        counts.map((count) => ({ ...count, value: starts.findLastIndex((start) => start <= count.value) })),
      );
    const byBucket = bucketed(counted.map((count) => ({ ...count, value: hourOf(count.hit.at) })));
    expect(bucketed(await ledger.count(filter, 'hour', starts))).toEqual(byBucket);
    const by = (['country', 'referrer', 'class', 'utm_campaign', 'link_id'] as const)[draw(5)] ?? 'class';
    const groups = new Map<number, { clicks: number; hits: number }>();
    for (const { hit, class: ofClass } of counted) {
      const value = by === 'class' ? ofClass : hit[by];
      const group = groups.get(value) ?? { clicks: 0, hits: 0 };
      groups.set(value, { clicks: group.clicks + Number(ofClass === 0), hits: group.hits + 1 });
    }
    const all = { all_clicks: counted.filter((one) => one.class === 0).length, all_hits: hits.length };
    const largest = [...groups]
      .map(([value, group]) => ({ value, ...group, ...all }))
      .sort((one, other) => other.hits - one.hits || one.value - other.value)
      .slice(0, 20);
    expect([...(await ledger.groups(filter, by, 20))]).toEqual(largest);
    if (filter.values?.length) {
      const combined = await ledger.countAndGroups(filter, starts, by, 20);
      expect([...combined.groups]).toEqual(largest);
      expect(bucketed(combined.counts)).toEqual(byBucket);
    }
    const before = draw(3) === 0 ? undefined : draw(this.hits.length) + 1;
    const newest = hits.filter(({ id }) => id < (before ?? Number.POSITIVE_INFINITY)).reverse();
    const offset = [0, 0, draw(50), draw(5_000)][draw(4)] ?? 0;
    const page = await ledger.before(filter, { before, limit: 30, offset });
    expect([...page.hits]).toEqual(newest.slice(offset, offset + 30));
    expect([page.passed, page.stoppedAt]).toEqual([Math.min(offset, newest.length), null]);
    const after = draw(this.hits.length);
    const upTo = after + draw(9_000);
    expect([...(await ledger.after(filter, { after, upTo, limit: 40 }))]).toEqual(
      hits.filter(({ id }) => id > after && id <= upTo).slice(0, 40),
    );
  }
}

const passes = (hit: StoredHit, { owner, classes: wanted, values = [], from, to }: HitFilter): boolean =>
  hit[`${owner.kind}_id`] === owner.id &&
  (owner.links?.includes(hit.link_id) ?? true) &&
  (wanted?.includes(rollupClassOf(hit.class, hit.outcome)) ?? true) &&
  values.every(([column, value]) => hit[column] === value) &&
  hit.at >= (from ?? 0) &&
  hit.at < (to ?? Number.POSITIVE_INFINITY);

const sumsOf = (counts: readonly HitCount[]) => {
  const sums = new Map<string, number>();
  for (const { value, class: ofClass, hits } of counts) {
    const key = `${value} ${ofClass}`;
    sums.set(key, (sums.get(key) ?? 0) + hits);
  }
  return [...sums].sort();
};
