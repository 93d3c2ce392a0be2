import { type Column, type FoldBatch, noVisitor, type Watermark } from '../storage/fold-store.ts';
import { HitColumns } from './hit-columns.ts';
import type { HitStretch } from './hit-stretch.ts';
import { Numbers } from './numbers.ts';
import { clickRollup, dimensionPlaces, RollUps } from './roll-ups.ts';
import type { SeenVisitors } from './seen-visitors.ts';
import { VisitorGroups } from './visitor-groups.ts';
import { dayOf } from './visitor-hash.ts';
import type { WordPlaces } from './word-places.ts';

/** Hits: so many in one turn are a backlog, or more than anybody watches live. */
const longStretch = 4_096;

/** Makes of a stretch of hits what it adds to the ledger and to every total above it. Used again for every stretch. */
export class BatchBuilder {
  readonly #seen: SeenVisitors;
  readonly #sorted = new HitColumns();
  readonly #rollUps = new RollUps();
  readonly #linkClicks = new Numbers();
  readonly #visitors = new VisitorGroups();

  constructor(seen: SeenVisitors) {
    this.#seen = seen;
  }

  /** To be called once for a stretch, when its words are settled; good until the next call. */
  batch(
    { columns, links, hours }: HitStretch,
    words: WordPlaces,
    journal: string,
    from: Watermark | null,
    to: Watermark,
  ): FoldBatch {
    for (const places of columns.words) words.number(places, columns.count);
    this.#rollUps.begin(hours);
    this.#linkClicks.clear();
    this.#visitors.clear();
    const inOrder = links.slice().sort((one, other) => one.id - other.id);
    const order = rowsByLink(columns, links, inOrder);
    let first = 0;
    for (const { id, organizationId, hits } of inOrder) {
      const rows = order.subarray(first, first + hits);
      first += hits;
      this.#rollUps.add(columns, rows, id, organizationId);
      this.#noteClicks(columns, rows, id, organizationId);
    }
    this.#rollUps.end();
    return {
      journal,
      from,
      to,
      count: columns.count,
      hits: this.#ledger(columns, order),
      visitors: this.#visitors.sorted(),
      linkRollups: this.#rollUps.ofLinks,
      organizationRollups: this.#rollUps.ofOrganizations,
      linkClicks: this.#linkClicks.all,
      visitorsDimension: dimensionPlaces.visitors,
      clickClass: clickRollup,
    };
  }

  #noteClicks(columns: HitColumns, rows: Int32Array, linkId: number, organizationId: number): void {
    let clicks = 0;
    let last = 0;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index] ?? 0;
      if (!columns.isClick(row)) continue;
      const at = columns.at[row] ?? 0;
      clicks += 1;
      last = Math.max(last, at);
      const visitor = columns.visitor[row] ?? noVisitor;
      if (visitor === noVisitor) continue;
      this.#noteVisitor(linkId, dayOf(at), visitor);
      this.#noteVisitor(-organizationId, dayOf(at), visitor);
    }
    if (clicks > 0) this.#linkClicks.push3(linkId, clicks, last);
  }

  #noteVisitor(owner: number, day: number, visitor: number): void {
    if (!this.#seen.notes(day, owner, visitor)) this.#visitors.add(owner, day, visitor);
  }

  /**
   * A long stretch goes into the ledger link by link: its index by link then grows in order, which halves the cost of
   * a hit. Each link's hits stay in order; between links, the instant tells.
   */
  #ledger(columns: HitColumns, order: Int32Array): readonly Column[] {
    const sorted = this.#sorted;
    const isLong = columns.count >= longStretch;
    sorted.begin(isLong ? columns.count : 0);
    if (!isLong) return columns.ledger;
    const targets = sorted.ledger;
    for (const [index, column] of columns.ledger.entries()) {
      const target = targets[index];
      if (target) take(column, order, target);
    }
    return targets;
  }
}

/** The rows of the hits, link by link; those of a link as they came. */
function rowsByLink(
  columns: HitColumns,
  links: HitStretch['links'],
  inOrder: HitStretch['links'],
): Int32Array {
  const next = new Int32Array(links.length);
  let before = 0;
  for (const { place, hits } of inOrder) {
    next[place] = before;
    before += hits;
  }
  const order = new Int32Array(columns.count);
  for (let row = 0; row < order.length; row++) {
    const place = columns.place[row] ?? 0;
    const at = next[place] ?? 0;
    order[at] = row;
    next[place] = at + 1;
  }
  return order;
}

function take(column: Column, order: Int32Array, into: Column): void {
  for (let row = 0; row < order.length; row++) into[row] = column[order[row] ?? 0] ?? 0;
}
