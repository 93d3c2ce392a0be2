import type { Position } from '../../journal/files.ts';
import { dayOf, hourOf } from '../../rules/utc-time.ts';
import { FloatList } from '../../structures/float-list.ts';
import { type BuiltBatch, linkClickColumns, noVisitor } from '../fold-store.ts';
import { HitColumns } from '../hit-columns.ts';
import type { BatchLinks } from './batch-links.ts';
import type { HitBatch } from './hit-batch.ts';
import { RollUps } from './roll-ups.ts';
import type { SeenVisitors } from './seen-visitors.ts';
import { VisitorGroups } from './visitor-groups.ts';
import type { WordIds } from './word-ids.ts';

/** Computes what a batch of hits adds to the ledger and to all totals. Reused for every batch. */
export class BatchBuilder {
  readonly #seen: SeenVisitors;
  readonly #minByLink: number;
  readonly #sorted = new HitColumns();
  #order: Int32Array | null = null;
  readonly #rollUps = new RollUps();
  readonly #linkClicks = new FloatList();
  /** Pairs of hour and visitor, for the current link. */
  readonly #visitsOfLink = new FloatList();
  readonly #visitsOfVariants = new Map<number, FloatList>();
  readonly #visitsOfOrganizations = new Map<number, FloatList>();
  readonly #visitors = new VisitorGroups();

  /** Batches of at least `minByLink` hits are sorted by link. */
  constructor(seen: SeenVisitors, minByLink = 4_096) {
    this.#seen = seen;
    this.#minByLink = minByLink;
  }

  /** Must be called once per batch, when its words have their ids. The result is valid until the next call. */
  batch(
    { columns, links, hours, quietClicks }: HitBatch,
    words: WordIds,
    journal: string,
    from: Position | null,
    to: Position,
    now: number,
  ): BuiltBatch {
    for (const column of columns.wordsInUse) words.replaceWithIds(column, columns.count);
    this.#linkClicks.clear();
    this.#visitors.clear();
    this.#visitsOfOrganizations.clear();
    const isByLink = columns.count >= this.#minByLink;
    const inOrder = linksInOrder(links);
    const byLink = this.#sortedByLink(columns, links, inOrder);
    this.#rollUps.begin(byLink, hours);
    this.#noteVisitors(columns);
    let first = 0;
    for (let index = 0; index < inOrder.length; index++) {
      const link = inOrder[index] ?? 0;
      const id = links.ids[link] ?? 0;
      const organizationId = links.organizations[link] ?? 0;
      const end = first + (links.hits[link] ?? 0);
      if (byLink !== columns) byLink.setLink(first, end, id, organizationId);
      this.#rollUps.add(first, end, id, organizationId);
      this.#noteClicks(byLink, first, end, id);
      first = end;
    }
    this.#rollUps.end();
    return {
      journal,
      now,
      from,
      to,
      sweep: words.sweep,
      hits: { columns: (isByLink ? byLink : columns).ledger, count: columns.count },
      isByLink,
      order: isByLink && byLink !== columns ? this.#order : null,
      visitors: this.#visitors.inOrder,
      linkHours: this.#rollUps.ofLinks,
      organizationRollups: this.#rollUps.ofOrganizations,
      linkClicks: withQuietClicks(this.#linkClicks.all, quietClicks),
    };
  }

  /** Frees the memory of the last batch, which is invalid from then on. */
  release(): void {
    this.#sorted.release();
    this.#order = null;
  }

  /** The rows from `from` up to `to` belong to the link. */
  #noteClicks(columns: HitColumns, from: number, to: number, linkId: number): void {
    const seen = this.#seen;
    const ofLink = this.#visitsOfLink;
    const { at: instants, visitor: visitors } = columns;
    let clicks = 0;
    let last = 0;
    for (let row = from; row < to; row++) {
      if (!columns.isClick(row)) continue;
      const at = instants[row] ?? 0;
      clicks += 1;
      last = Math.max(last, at);
      const visitor = visitors[row] ?? noVisitor;
      if (visitor === noVisitor) continue;
      if (seen.testAndAdd(dayOf(at), linkId, visitor)) continue;
      const variant = columns.variantOf(row);
      const visits = variant === 0 ? ofLink : this.#visitsOfVariants.getOrInsertComputed(variant, newList);
      visits.push2(hourOf(at), visitor);
    }
    if (clicks > 0) this.#linkClicks.push3(linkId, clicks, last);
    this.#visitors.add(linkId, ofLink);
    ofLink.clear();
    if (this.#visitsOfVariants.size === 0) return;
    for (const [variant, visits] of this.#visitsOfVariants) this.#visitors.add(linkId, visits, variant);
    this.#visitsOfVariants.clear();
  }

  /** Visitors of organizations: in the order of the hits, so that a visitor's first click counts, on any link. */
  #noteVisitors(columns: HitColumns): void {
    const seen = this.#seen;
    const { at: instants, visitor: visitors, organizationId: organizations, count } = columns;
    let last = Number.NaN;
    let visits = this.#visitsOfLink;
    for (let row = 0; row < count; row++) {
      const visitor = visitors[row] ?? noVisitor;
      if (visitor === noVisitor || !columns.isClick(row)) continue;
      const organizationId = organizations[row] ?? 0;
      if (organizationId !== last) {
        visits = this.#visitsOfOrganizations.getOrInsertComputed(organizationId, newList);
        last = organizationId;
      }
      const at = instants[row] ?? 0;
      if (!seen.testAndAdd(dayOf(at), -organizationId, visitor)) visits.push2(hourOf(at), visitor);
    }
    const inOrder = [...this.#visitsOfOrganizations].sort(([one], [other]) => other - one);
    for (const [id, each] of inOrder) this.#visitors.add(-id, each);
  }

  /**
   * Sorts the hits by link, keeping the order within a link: everything counted of a link is then close together. A long batch is
   * also inserted in this order: the index by link then grows in order, which halves the cost of a hit. Between links, the time
   * of a hit shows which came first.
   */
  #sortedByLink(columns: HitColumns, links: BatchLinks, inOrder: Int32Array): HitColumns {
    if (links.count < 2) return columns;
    this.#order = rowsByLink(columns, links, inOrder);
    const sorted = this.#sorted;
    sorted.take(columns, this.#order);
    return sorted;
  }
}

const newList = () => new FloatList();

/** Quiet clicks have the instant 0, which is never later than another. */
function withQuietClicks(linkClicks: Float64Array, quiet: ReadonlyMap<number, number>): Float64Array {
  if (quiet.size === 0) return linkClicks;
  const rows = new Map<number, readonly [number, number]>();
  for (let at = 0; at < linkClicks.length; at += linkClickColumns) {
    const [link = 0, clicks = 0, last = 0] = linkClicks.subarray(at, at + linkClickColumns);
    rows.set(link, [clicks, last]);
  }
  for (const [link, more] of quiet) {
    const [clicks, last] = rows.get(link) ?? [0, 0];
    rows.set(link, [clicks + more, last]);
  }
  const inOrder = [...rows].sort(([one], [other]) => one - other);
  return Float64Array.from(inOrder.flatMap(([link, counts]) => [link, ...counts]));
}

/** More links than a batch has. */
const maxLinks = 2 ** 20;

/** The indexes of the links, sorted by their ids. */
function linksInOrder({ ids, count }: BatchLinks): Int32Array {
  const keys = new Float64Array(count);
  for (let link = 0; link < count; link++) keys[link] = (ids[link] ?? 0) * maxLinks + link;
  keys.sort();
  const inOrder = new Int32Array(count);
  for (let index = 0; index < count; index++) {
    const key = keys[index] ?? 0;
    inOrder[index] = key - Math.floor(key / maxLinks) * maxLinks;
  }
  return inOrder;
}

/** The rows of the hits sorted by link, keeping the order within a link. */
function rowsByLink(columns: HitColumns, { hits, count }: BatchLinks, inOrder: Int32Array): Int32Array {
  const next = new Int32Array(count);
  let before = 0;
  for (let index = 0; index < count; index++) {
    const link = inOrder[index] ?? 0;
    next[link] = before;
    before += hits[link] ?? 0;
  }
  const linkIndexes = columns.linkIndex;
  const order = new Int32Array(columns.count);
  for (let row = 0; row < order.length; row++) {
    const link = linkIndexes[row] ?? 0;
    const at = next[link] ?? 0;
    order[at] = row;
    next[link] = at + 1;
  }
  return order;
}
