import type { Insertable } from 'kysely';
import { dimensionCodes, rollupClasses } from '../rules/click-fields.ts';
import { hoursPerDay } from '../rules/utc-time.ts';
import type { StoredLink } from '../storage/links.ts';
import type { Schema } from '../storage/schema.ts';

/** A position in a node's journal. */
export interface Watermark {
  readonly segment: number;
  readonly offset: number;
}

/** Typed arrays, because batches have whole numbers by the hundred thousand. */
export type Column = Float64Array | Int32Array;

/** In the ledger's column of visitors: null. */
export const noVisitor = -1;

/** Visitors that one owner perhaps sees for the first time today; each once. */
export interface DayVisitors {
  readonly day: number;
  /** A link, or an organization as a negative number. */
  readonly owner: number;
  readonly visitors: Float64Array;
}

/** How many visitors turned out to be new. */
export interface NewVisitors {
  readonly day: number;
  readonly owner: number;
  readonly count: number;
}

export interface Hits {
  /** As `hitColumns` names them; a column may have room for more than there are. */
  readonly columns: readonly Column[];
  readonly count: number;
}

/** What a part of a journal adds to storage. All of it is written together with its watermark, or nothing. */
export interface FoldBatch {
  readonly journal: string;
  /** Where the watermark stands; null where there is none yet. */
  readonly from: Watermark | null;
  readonly to: Watermark;
  readonly hits: Hits;
  /** Whether they come link by link, those of a link as they came; or else all of them as they came. */
  readonly isByLink: boolean;
  /** For each of the hits, its index in the order in which they came; null where they are in that order. */
  readonly order: Int32Array | null;
  /** In the order of the key of daily_visitors. */
  readonly visitors: readonly DayVisitors[];
  readonly linkHours: LinkHours;
  /** Row after row: organization, dimension, hour, class, value, hits; in the order of the key. */
  readonly organizationRollups: Float64Array;
  /** link, clicks, instant of the last; in the order of the links. */
  readonly linkClicks: Float64Array;
}

/** Added to the hours of links, in the order of their key. */
export interface LinkHours {
  /** Row after row, as `linkHourColumns` names them. */
  readonly numbers: Float64Array;
  /** Row by row, as `hour-counts.ts` writes them. */
  readonly counts: readonly string[];
}

export const linkHourColumns = ['link_id', 'hour', ...rollupClasses] as const;

export const rollupColumns = 6;
export const linkClickColumns = 3;

/**
 * Hours whose counts have had much appended. The condition must be word for word that of its index, or the index
 * isn't used.
 */
export const looseHours = 'select link_id, hour, counts from link_hours where loose > 1000';

/** A link with a webhook or a Zap. */
export type HookedLink = Pick<
  StoredLink,
  | 'id'
  | 'organization_id'
  | 'suffix'
  | 'host'
  | 'destination_url'
  | 'android_url'
  | 'ios_url'
  | 'webhook_url'
  | 'webhook_events'
  | 'webhook_auth_key'
  | 'zapier_hook_url'
>;

/** The id that the ledger has given to a hit, by its index in the order in which the hits came. */
export type HitIdOf = (index: number) => number;

export type Delivery = Insertable<Schema['webhook_deliveries']>;
/** Called inside the transaction with the hooks as they are then, and with the hits already in the ledger. */
export type DeliveriesOf = (links: ReadonlyMap<number, HookedLink>, hitIdOf: HitIdOf) => readonly Delivery[];

/** The watermark isn't where this journal was read from: another node has folded it. */
export class JournalTaken extends Error {
  override readonly name = 'JournalTaken';
}

/** The fold's database. One user at a time. A call that fails with StoreAway may be tried again. */
export interface FoldStore {
  watermark(journal: string): Promise<Watermark | null>;
  forgetWatermark(journal: string): Promise<void>;
  /** The ids of these words, created where there are none yet. */
  wordIds(words: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** How many hits the next transaction should hold: many share its cost, and all other writers wait for it. */
  batchLength(): number;
  fold(batch: FoldBatch, deliveriesOf: DeliveriesOf): Promise<void>;
  verifiedHosts(): Promise<readonly string[]>;
  settleSalt(day: number, fresh: Uint8Array): Promise<Uint8Array>;
  deleteSaltsBefore(day: number): Promise<void>;
  /** These delete a small part at a time, and return whether there may be more. */
  deleteVisitorsBefore(day: number): Promise<boolean>;
  deleteHitsBefore(at: number): Promise<boolean>;
  close(): Promise<void>;
}

export const deletedAtOnce = 2_000;

const linkFields = `links.id, links.organization_id, links.suffix, domains.host, links.destination_url, links.android_url,
  links.ios_url, links.webhook_url, links.webhook_events, links.webhook_auth_key, links.zapier_hook_url`;

/** `these` is the condition on links.id. `hint` is for a database that would look at each link for itself. */
export const linksWithHooks = (these: string, hint = ''): string =>
  `select ${linkFields} from links ${hint} left join domains on domains.id = links.domain_id
   where (links.webhook_url is not null or links.zapier_hook_url is not null) and ${these}`;

export const byId = (links: readonly HookedLink[]): ReadonlyMap<number, HookedLink> =>
  new Map(links.map((link) => [link.id, link]));

/** The links that have clicks in this batch: they come first in the rows. */
export function clickedLinks({ linkClicks }: FoldBatch): number[] {
  const links: number[] = [];
  for (let at = 0; at < linkClicks.length; at += linkClickColumns) links.push(linkClicks[at] ?? 0);
  return links;
}

/**
 * New visitors where they belong: by row of the links' hours, the first that a link has that day; and as rows of the
 * organizations' roll-ups, under the first hour of the day.
 */
export function placeVisitors(
  { numbers, counts }: LinkHours,
  found: readonly NewVisitors[],
): { ofLinkHours: Float64Array; organizations: Float64Array } {
  const ofLinkHours = new Float64Array(counts.length);
  const organizations: number[] = [];
  for (const { day, owner, count } of found) {
    if (count === 0) continue;
    const hour = day * hoursPerDay;
    if (owner < 0) organizations.push(-owner, dimensionCodes.visitors, hour, 0, 0, count);
    else ofLinkHours[firstRow(numbers, owner, hour)] = count;
  }
  return { ofLinkHours, organizations: Float64Array.from(organizations) };
}

/** The first row that is not before this link and hour. */
function firstRow(numbers: Float64Array, link: number, hour: number): number {
  const width = linkHourColumns.length;
  let low = 0;
  for (let high = numbers.length / width; low < high; ) {
    const middle = (low + high) >> 1;
    const rowLink = numbers[middle * width] ?? 0;
    if (rowLink < link || (rowLink === link && (numbers[middle * width + 1] ?? 0) < hour)) low = middle + 1;
    else high = middle;
  }
  return low;
}
