import type { Cell, DayVisitors, FoldBatch, Watermark } from '../storage/fold-store.ts';
import {
  classes,
  devices,
  dimensions,
  hourOf,
  outcomes,
  reasons,
  rollupClasses,
  sources,
  targets,
  wordDimensions,
} from './codes.ts';
import { Combinations } from './combinations.ts';
import type { EnrichedHit } from './enrich.ts';
import { RollUpTally } from './roll-up-tally.ts';
import type { SeenVisitors } from './seen-visitors.ts';
import type { ValueLimit } from './value-limit.ts';
import { dayOf } from './visitor-hash.ts';
import type { WordPlaces } from './word-places.ts';

const places = <T extends string>(list: readonly T[]): ReadonlyMap<T, number> =>
  new Map(list.map((word, place) => [word, place]));
const outcomePlace = places(outcomes);
const targetPlace = places(targets);
const classPlace = places(classes);
const reasonPlace = places(reasons);
const devicePlace = places(devices);
const sourcePlace = places(sources);
const click = rollupClasses.indexOf('click');
const page = rollupClasses.indexOf('page');
const rollupPlace = places<string>(rollupClasses);

const dimension = Object.fromEntries(dimensions.map((name, place) => [name, place])) as Record<
  (typeof dimensions)[number],
  number
>;
const isOfWords = dimensions.map((name) => wordDimensions.has(name));

/** Columns of a ledger row that hold a place of `WordPlaces` until its words have their numbers. */
const firstWord = 9;
const lastWord = 18;
const rowLength = 20;
/** Counted together while hits are added, because they come together: places in `Combinations`. */
const agentDimension = 14;
const originDimension = 15;
/** Hits: so many in one turn are a backlog, or more than anybody watches live. */
const longStretch = 4_096;
/** Days since the epoch stay below this for another 170 years. */
const mostDays = 100_000;

interface LinkCount {
  readonly id: number;
  readonly organizationId: number;
  clicks: number;
  lastClickedAt: number;
}

export interface BatchMemory {
  readonly words: WordPlaces;
  readonly limit: ValueLimit;
  readonly seen: SeenVisitors;
}

/** Collects what a stretch of hits adds to the ledger and to every total above it. Used again for every stretch. */
export class BatchBuilder {
  readonly #memory: BatchMemory;
  readonly #hitTally = new RollUpTally();
  readonly #linkTally = new RollUpTally();
  #agents = new Combinations();
  #origins = new Combinations();
  readonly #organizationTally = new RollUpTally();
  #rows: Cell[] = [];
  #visitors = new Map<number, number[]>();
  #links: LinkCount[] = [];
  #linkPlaces = new Map<number, number>();
  #organizations: number[] = [];
  #organizationPlaces = new Map<number, number>();
  #hours: number[] = [];

  constructor(memory: BatchMemory) {
    this.#memory = memory;
  }

  begin(): void {
    this.#memory.words.trim();
    this.#hitTally.clear();
    this.#linkTally.clear();
    this.#agents = new Combinations();
    this.#origins = new Combinations();
    this.#organizationTally.clear();
    this.#rows = [];
    this.#visitors = new Map();
    this.#links = [];
    this.#linkPlaces = new Map();
    this.#organizations = [];
    this.#organizationPlaces = new Map();
    this.#hours = [];
  }

  add(hit: EnrichedHit): void {
    const { words, limit } = this.#memory;
    const { linkId, at } = hit;
    const limited = (field: number, value: string) => words.placeOf(limit.limited(linkId, field, at, value));
    const reason = reasonPlace.get(hit.reason) ?? 0;
    const device = devicePlace.get(hit.device) ?? 0;
    const source = sourcePlace.get(hit.source) ?? 0;
    const target = targetPlace.get(hit.target ?? 'none') ?? 0;
    const country = words.placeOf(hit.country);
    const os = words.placeOf(hit.os);
    const browser = words.placeOf(hit.browser);
    const language = limited(0, hit.language);
    const referrer = limited(1, hit.referrerHost);
    const utmSource = limited(2, hit.utmSource);
    const utmMedium = limited(3, hit.utmMedium);
    const utmCampaign = limited(4, hit.utmCampaign);
    this.#rows.push(
      linkId,
      hit.organizationId,
      at,
      outcomePlace.get(hit.outcome) ?? 0,
      target,
      classPlace.get(hit.class) ?? 0,
      reason,
      device,
      source,
      country,
      os,
      browser,
      language,
      referrer,
      utmSource,
      utmMedium,
      utmCampaign,
      limited(5, hit.utmTerm),
      limited(6, hit.utmContent),
      hit.visitor,
    );
    const rollup = rollupOf(hit);
    const link = this.#linkPlace(hit);
    const kind = (this.#hourPlace(hourOf(at)) << 7) | rollup;
    const tally = this.#hitTally;
    tally.add(link, kind | (dimension.total << 3), 0);
    if (rollup !== click) {
      tally.add(link, kind | (dimension.reason << 3), reason);
      return;
    }
    tally.add(link, kind | (dimension.country << 3), country);
    tally.add(link, kind | (agentDimension << 3), this.#agents.placeOf(device, os, browser));
    tally.add(link, kind | (dimension.language << 3), language);
    tally.add(link, kind | (dimension.referrer << 3), referrer);
    const origin = this.#origins.placeOf(target * 2 + source, utmSource, utmMedium, utmCampaign);
    tally.add(link, kind | (originDimension << 3), origin);
    this.#noteClick(hit, link);
  }

  /** To be called once the words are settled. */
  batch(journal: string, from: Watermark | null, to: Watermark): FoldBatch {
    this.#nameWords();
    this.#takeApart();
    this.#linkTally.each((link, kind, value, count) =>
      this.#organizationTally.add(this.#organizationPlace(link), kind, value, count),
    );
    const clicked = this.#links.filter(({ clicks }) => clicks > 0).sort((one, other) => one.id - other.id);
    return {
      journal,
      from,
      to,
      hits: this.#ledger(),
      visitors: this.#dayVisitors(),
      linkRollups: this.#rollups(
        this.#linkTally,
        this.#links.map(({ id }) => id),
      ),
      organizationRollups: this.#rollups(this.#organizationTally, this.#organizations),
      linkClicks: clicked.flatMap(({ id, clicks, lastClickedAt }) => [id, clicks, lastClickedAt]),
      visitorsDimension: dimension.visitors,
      clickClass: click,
    };
  }

  #noteClick({ linkId, organizationId, at, visitor }: EnrichedHit, place: number): void {
    const link = this.#links[place];
    if (link !== undefined) {
      link.clicks += 1;
      link.lastClickedAt = Math.max(link.lastClickedAt, at);
    }
    if (visitor === null) return;
    this.#noteVisitor(dayOf(at), linkId, visitor);
    this.#noteVisitor(dayOf(at), -organizationId, visitor);
  }

  #noteVisitor(day: number, owner: number, visitor: number): void {
    if (this.#memory.seen.notes(day, owner, visitor)) return;
    const key = owner * mostDays + day;
    const known = this.#visitors.get(key);
    if (known) known.push(visitor);
    else this.#visitors.set(key, [visitor]);
  }

  #dayVisitors(): DayVisitors[] {
    const groups = [...this.#visitors].map(([key, visitors]) => {
      const owner = Math.floor(key / mostDays);
      return { day: key - owner * mostDays, owner, visitors: Float64Array.from(visitors).sort() };
    });
    return groups.sort((one, other) => one.day - other.day || one.owner - other.owner);
  }

  #linkPlace({ linkId, organizationId }: EnrichedHit): number {
    const known = this.#linkPlaces.get(linkId);
    if (known !== undefined) return known;
    const place = this.#links.push({ id: linkId, organizationId, clicks: 0, lastClickedAt: 0 }) - 1;
    this.#linkPlaces.set(linkId, place);
    return place;
  }

  #organizationPlace(link: number): number {
    const id = this.#links[link]?.organizationId ?? 0;
    const known = this.#organizationPlaces.get(id);
    if (known !== undefined) return known;
    const place = this.#organizations.push(id) - 1;
    this.#organizationPlaces.set(id, place);
    return place;
  }

  /** Almost always one or two hours: a list is quicker than a map. */
  #hourPlace(hour: number): number {
    const known = this.#hours.indexOf(hour);
    return known >= 0 ? known : this.#hours.push(hour) - 1;
  }

  /**
   * A long stretch goes into the ledger link by link: its index by link then grows in order, which halves the cost of
   * a hit. Each link's hits stay in order; between links, the instant tells.
   */
  #ledger(): Cell[] {
    const rows = this.#rows;
    const count = rows.length / rowLength;
    if (count < longStretch) return rows;
    const byLink = ranks(this.#links.map(({ id }) => id));
    const order = new Float64Array(count);
    for (let row = 0; row < count; row++) {
      const place = this.#linkPlaces.get(rows[row * rowLength] ?? 0) ?? 0;
      order[row] = (byLink.rank[place] ?? 0) * count + row;
    }
    order.sort();
    const sorted: Cell[] = [];
    for (let to = 0; to < count; to++) {
      const key = order[to] ?? 0;
      const from = (key - Math.floor(key / count) * count) * rowLength;
      for (let column = 0; column < rowLength; column++) sorted.push(rows[from + column] ?? null);
    }
    return sorted;
  }

  /** What was counted together, by each of its parts. */
  #takeApart(): void {
    const tally = this.#linkTally;
    this.#hitTally.each((link, kind, value, count) => {
      const counted = (kind >> 3) & 15;
      const rest = kind & ~(15 << 3);
      const add = (part: number, partValue: number) => tally.add(link, rest | (part << 3), partValue, count);
      if (counted === agentDimension) {
        const [device = 0, os = 0, browser = 0] = this.#agents.at(value);
        add(dimension.device, device);
        add(dimension.os, os);
        add(dimension.browser, browser);
      } else if (counted === originDimension) {
        const [targetAndSource = 0, utmSource = 0, utmMedium = 0, utmCampaign = 0] = this.#origins.at(value);
        add(dimension.destination, targetAndSource >> 1);
        add(dimension.source, targetAndSource & 1);
        add(dimension.utm_source, utmSource);
        add(dimension.utm_medium, utmMedium);
        add(dimension.utm_campaign, utmCampaign);
      } else {
        tally.add(link, kind, value, count);
      }
    });
  }

  #nameWords(): void {
    const { words } = this.#memory;
    const rows = this.#rows;
    for (let first = 0; first < rows.length; first += rowLength) {
      for (let column = firstWord; column <= lastWord; column++) {
        const place = rows[first + column] ?? 0;
        if (place !== 0) rows[first + column] = words.idAt(place);
      }
    }
  }

  /**
   * In the order of their keys, which a B-tree takes in fastest, and by which nodes that fold at once can't block each
   * other. Sorted as numbers that hold the whole key.
   */
  #rollups(tally: RollUpTally, owners: readonly number[]): Cell[] {
    const { words } = this.#memory;
    const byOwner = ranks(owners);
    const byHour = ranks(this.#hours);
    const hours = this.#hours.length;
    const kinds = 16 * hours * 8;
    const values = 2 ** 20;
    const keys = new Float64Array(tally.size);
    let length = 0;
    tally.each((owner, kind, value) => {
      const hour = byHour.rank[kind >> 7] ?? 0;
      const inOwner = (((kind >> 3) & 15) * hours + hour) * 8 + (kind & 7);
      keys[length++] = ((byOwner.rank[owner] ?? 0) * kinds + inOwner) * values + value;
    });
    keys.sort();
    const rows: Cell[] = [];
    for (const key of keys) {
      // Not by %: on numbers this large it is slow.
      const rest = Math.floor(key / values);
      const value = key - rest * values;
      const rank = Math.floor(rest / kinds);
      const inOwner = rest - rank * kinds;
      const owner = byOwner.place[rank] ?? 0;
      const rollup = inOwner & 7;
      const hour = byHour.place[(inOwner >> 3) % hours] ?? 0;
      const kept = Math.floor((inOwner >> 3) / hours);
      const count = tally.count(owner, (hour << 7) | (kept << 3) | rollup, value);
      rows.push(
        owners[owner] ?? 0,
        kept,
        this.#hours[hour] ?? 0,
        rollup,
        isOfWords[kept] ? words.idAt(value) : value,
        count,
      );
    }
    return rows;
  }
}

/** Of numbers that stand in no order: the rank of each place, and the place of each rank. */
function ranks(values: readonly number[]): { rank: Int32Array; place: Int32Array } {
  const place = Int32Array.from(values.keys()).sort(
    (one, other) => (values[one] ?? 0) - (values[other] ?? 0),
  );
  const rank = new Int32Array(values.length);
  place.forEach((at, index) => {
    rank[at] = index;
  });
  return { rank, place };
}

function rollupOf(hit: EnrichedHit): number {
  if (hit.class === 'human') return hit.outcome === 'redirect' ? click : page;
  return rollupPlace.get(hit.class) ?? page;
}

export const isClick = (hit: EnrichedHit): boolean => hit.class === 'human' && hit.outcome === 'redirect';
