import { type RawBuilder, sql } from 'kysely';
import { BoundedCache } from '../../structures/bounded-cache.ts';
import type { Database } from '../database.ts';
import { dialectOf } from '../dialect.ts';
import { jsonIds } from '../json-rows.ts';
import { prepared } from '../prepared.ts';
import type { Queries } from '../schema.ts';
import { type LinkTotals, totalsOf } from './link-counts.ts';
import { answeredColumns } from './links.ts';
import {
  relatedColumns,
  type SomeLinks,
  type TaggedLink,
  type TaggedRow,
  taggedOf,
  withRelated,
  withTags,
} from './tagged-links.ts';

/** A page of an organization's links that are not archived, newest first. */
interface NewestPage {
  readonly organizationId: number;
  /** Only links with smaller ids. */
  readonly below: number;
  readonly offset: number;
  readonly limit: number;
}

interface NewestLinks {
  readonly links: readonly TaggedLink[];
  /** Of all the organization's links, whatever the page; null if the page is empty. */
  readonly totals: LinkTotals | null;
}

interface Totals {
  readonly all_links: number;
  readonly all_archived: number;
}

/** A link's row with its version, which changes with each change of the row; empty on SQLite. */
interface VersionedLink extends TaggedLink {
  readonly link: TaggedRow & { readonly version: string };
}

type LinksById = ReadonlyMap<number, VersionedLink>;

interface CachedPage {
  readonly links: LinksById;
  totals: LinkTotals | null;
  /** The database's version from before the page was read; null on a server. */
  dataVersion: number | null;
}

/** Longer pages are exports: each is read once, and a few of them would fill the cache. */
const maxCachedPage = 101;
/** Characters of cached pages. */
const maxCached = 16 * 1024 * 1024;
/** The weight of a link without its texts: its object, and the rest of its JSON, most of which is the QR code. */
const baseWeight = 3_000;

/** A link's texts are in its JSON once more. A link may have a hundred thousand characters: they are what has to be bounded. */
function weightOf({ links }: CachedPage): number {
  let weight = baseWeight;
  for (const { link } of links.values()) {
    weight += baseWeight;
    for (const cell of Object.values(link)) if (typeof cell === 'string') weight += 2 * cell.length;
  }
  return weight;
}

const caches = new WeakMap<Queries, BoundedCache<CachedPage>>();

const cacheOf = ({ lookup }: Database): BoundedCache<CachedPage> =>
  caches.getOrInsertComputed(lookup, () => new BoundedCache(maxCached, (_, page) => weightOf(page)));

/** The database has returned to an earlier state: rows that are changed in the background may get the versions of cached ones. */
export const forgetPages = (lookup: Queries): boolean => caches.delete(lookup);

/**
 * On SQLite, a cached page is returned without a query as long as nothing is committed. When a page is read again, a link that hasn't
 * changed is the same object as before, so its JSON can be reused.
 */
export async function newestLinks(database: Database, page: NewestPage): Promise<NewestLinks> {
  if (page.limit > maxCachedPage) {
    const rows = await selectNewest(database, page);
    return { links: rows.map(taggedOf), totals: totalsIn(rows) };
  }
  const cache = cacheOf(database);
  const key = `${page.organizationId} ${page.below} ${page.offset} ${page.limit}`;
  const cached = cache.get(key);
  const dataVersion = database.dataVersion?.() ?? null;
  if (cached && dataVersion !== null && cached.dataVersion === dataVersion) return answerOf(cached);
  const { links, totals } = await readPage(database, page, cached?.links);
  if (cached && hasSameLinks(links, cached.links)) {
    // The page isn't weighed again.
    cached.totals = totals;
    cached.dataVersion = dataVersion;
    return answerOf(cached);
  }
  const read = { links, totals, dataVersion };
  cache.set(key, read);
  return answerOf(read);
}

const answerOf = ({ links, totals }: CachedPage): NewestLinks => ({ links: [...links.values()], totals });

const hasSameLinks = (links: LinksById, cached: LinksById): boolean =>
  links.size === cached.size && links.values().every((link) => cached.get(link.link.id) === link);

/**
 * From a server, the links' own columns are read only where their versions have changed: 25 links have 1,300 of them, and together
 * with the JSON they are 40 % of the CPU time of a page.
 */
async function readPage(
  database: Database,
  page: NewestPage,
  cached: LinksById = new Map(),
): Promise<Pick<CachedPage, 'links' | 'totals'>> {
  if (cached.size > 0 && database.kind === 'postgres') {
    const { organizationId, below, offset, limit } = page;
    const rows = await statementsFor(page).versions(database.read, organizationId, below, offset, limit);
    return { links: await updated(database.read, cached, rows), totals: totalsIn(rows) };
  }
  const rows = await selectNewest(database, page);
  const links = rows.map((row) => cachedOr(row, cached.get(row.id)));
  return { links: new Map(links.map((link) => [link.link.id, link])), totals: totalsIn(rows) };
}

const selectNewest = (database: Database, page: NewestPage) =>
  statementsFor(page).newest(database.read, page.organizationId, page.below, page.offset, page.limit);

const comparedColumns = [...answeredColumns, ...relatedColumns];

/** The same object as before, if no cell has changed. */
const cachedOr = (row: VersionedLink['link'], cached: VersionedLink | undefined): VersionedLink =>
  cached && comparedColumns.every((name) => cached.link[name] === row[name]) ? cached : taggedOf(row);

const totalsIn = ([first]: readonly Totals[]): LinkTotals | null =>
  first ? { links: first.all_links, archived: first.all_archived } : null;

/** What a link's answer contains from other tables, and its version. */
type VersionRow = Pick<VersionedLink['link'], 'id' | 'version' | (typeof relatedColumns)[number]>;

/** The links of these rows: those that haven't changed from the cached page, the others read again. */
async function updated(queries: Queries, cached: LinksById, rows: readonly VersionRow[]): Promise<LinksById> {
  const changed = rows.filter(({ id, version }) => cached.get(id)?.link.version !== version);
  const read =
    changed.length === 0 ? [] : await selectVersioned(queries, JSON.stringify(changed.map(({ id }) => id)));
  const readById = new Map(read.map((row) => [row.id, taggedOf(row)]));
  const links = new Map<number, VersionedLink>();
  for (const row of rows) {
    const before = cached.get(row.id);
    // Undefined: it was deleted in between.
    const link = before?.link.version === row.version ? withRelatedOf(before, row) : readById.get(row.id);
    if (link) links.set(row.id, link);
  }
  return links;
}

function withRelatedOf(tagged: VersionedLink, row: VersionRow): VersionedLink {
  const { link } = tagged;
  const isUnchanged = relatedColumns.every((name) => link[name] === row[name]);
  return isUnchanged ? tagged : taggedOf({ ...link, ...row });
}

/**
 * The transaction that wrote the row, and the time of its last change by a person: after a promotion of a replica that lagged
 * behind, the numbers of transactions are used again.
 */
const versionOf = (queries: Queries): RawBuilder<string> =>
  dialectOf(queries).locksRows ? sql`concat(links.xmin, '-', links.updated_at)` : sql`''`;

const selectVersioned = prepared((queries, ids: string) =>
  withTags(queries)
    .select(versionOf(queries).as('version'))
    .where('links.id', 'in', jsonIds(dialectOf(queries), ids))
    .$castTo<VersionedLink['link']>()
    .compile(),
);

interface PageBounds {
  readonly below: number;
  readonly offset: RawBuilder<unknown>;
  readonly limit: RawBuilder<unknown>;
}

/**
 * First the page, along the index of its order: tags and everything else are looked up for its rows only, and the totals once.
 */
function pageOf(
  queries: Queries,
  columns: RawBuilder<unknown>,
  organizationId: number,
  { below, offset, limit }: PageBounds,
): SomeLinks {
  const page = sql`(
    select ${columns}, ${versionOf(queries)} as version from links
    where ${dialectOf(queries).keepGoing('links.id')} and links.organization_id = ${organizationId}
      and links.archived = 0 and links.id < ${below}
    order by links.id desc limit ${limit} offset ${offset}
  )`;
  return queries.selectFrom(page.as('links')) as unknown as SomeLinks;
}

const totalsColumns = (organizationId: number) => {
  const { links, archived } = totalsOf(organizationId);
  return [sql`links.version`.as('version'), links.as('all_links'), archived.as('all_archived')] as const;
};

/** With a size: for pages of that size without an offset. */
function statements(size?: number) {
  const boundsOf = (below: number, offset: number, limit: number): PageBounds =>
    size === undefined
      ? { below, offset: sql`${offset}`, limit: sql`${limit}` }
      : { below, offset: sql.lit(0), limit: sql.lit(size) };
  return {
    newest: prepared((queries, organizationId: number, below: number, offset: number, limit: number) =>
      withTags(queries, pageOf(queries, sql`links.*`, organizationId, boundsOf(below, offset, limit)))
        .select(totalsColumns(organizationId))
        .orderBy('links.id', 'desc')
        .$castTo<VersionedLink['link'] & Totals>()
        .compile(),
    ),
    versions: prepared((queries, organizationId: number, below: number, offset: number, limit: number) =>
      withRelated(
        queries,
        pageOf(queries, sql`links.id, links.domain_id`, organizationId, boundsOf(below, offset, limit)),
      )
        .select('links.id')
        .select(totalsColumns(organizationId))
        .orderBy('links.id', 'desc')
        .$castTo<VersionRow & Totals>()
        .compile(),
    ),
  };
}

/**
 * The usual sizes are part of their statements. With an unknown limit PostgreSQL expects a tenth of all links, which it knows once
 * it has analyzed the table: of a hundred thousand, it then plans the statement anew each time, which takes twice as long as running it.
 */
const ofUsualSize = new Map([25, 50, 100].map((size) => [size + 1, statements(size + 1)]));
const ofAnySize = statements();

const statementsFor = ({ offset, limit }: NewestPage) =>
  (offset === 0 ? ofUsualSize.get(limit) : undefined) ?? ofAnySize;
