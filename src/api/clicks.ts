import type { z } from 'zod';
import type { Context } from '../manage/context.ts';
import type { Caller } from '../rules/access.ts';
import { invalidField } from '../rules/errors.ts';
import { formatIso } from '../rules/instant.ts';
import { type ClickQuestion, eachClick, type Owner, readClicks } from '../stats/clicks.ts';
import { clicksRange } from '../stats/range.ts';
import { clickAnswer } from './click-answer.ts';
import { chosenOwner, linkOwner } from './click-owner.ts';
import { csvOutline, csvReply } from './csv-export.ts';
import { Cursors, refuseBoth } from './cursor.ts';
import { endpoint } from './endpoint.ts';
import { actualRawSince, rawSince } from './raw-since.ts';
import {
  Click,
  ClickExportQuery,
  ClickList,
  ClickListQuery,
  maxOffset,
  OrganizationClickExportQuery,
  OrganizationClickListQuery,
} from './schemas/click.ts';
import { linkPath } from './schemas/parts.ts';

const listOutline = {
  description:
    'Newest first; only clicks unless `class` says otherwise. `total_clicks` counts all, including those whose raw hits have expired: `raw_since` says since when raw hits are kept.',
  heavy: true,
  query: ClickListQuery,
  statuses: { 200: 'A page of hits.' },
  answer: ClickList,
} as const;

export const ofLink = endpoint({
  ...listOutline,
  summary: "List a link's clicks",
  params: linkPath,
  handle: async ({ caller, params, query }, context) =>
    pageOf(context, caller, await linkOwner(context, caller, params.id), query),
});

export const ofOrganization = endpoint({
  ...listOutline,
  query: OrganizationClickListQuery,
  summary: 'List the clicks of all links, or of some',
  async handle({ caller, query }, context) {
    const owner = await chosenOwner(context, caller, query);
    const { tag: tagIds, domain, ids } = query;
    // A cursor stays valid when further links get the tag.
    const selection = owner.links ? [{ tagIds, domain, ids }] : [];
    return pageOf(context, caller, owner, query, selection);
  },
});

const exportOutline = {
  ...csvOutline,
  query: ClickExportQuery,
  statuses: { 200: 'All hits that match.' },
} as const;

export const exportOfLink = endpoint({
  ...exportOutline,
  summary: "Export a link's clicks",
  params: linkPath,
  async handle({ caller, params, query }, context) {
    const owner = await linkOwner(context, caller, params.id);
    return exportReply(context, owner, query, `clicks-of-link-${owner.id}.csv`);
  },
});

export const exportOfOrganization = endpoint({
  ...exportOutline,
  query: OrganizationClickExportQuery,
  summary: 'Export the clicks of all links, or of some',
  handle: async ({ caller, query }, context) =>
    exportReply(context, await chosenOwner(context, caller, query), query, 'clicks.csv'),
});

type ExportQuery = z.output<typeof ClickExportQuery>;

const questionOf = (context: Context, owner: Owner, query: ExportQuery): ClickQuestion => ({
  owner,
  class: query.class,
  range: clicksRange(query),
  rawSince: rawSince(context),
});

const exportReply = (context: Context, owner: Owner, query: ExportQuery, file: string) =>
  csvReply({
    file,
    columns: Object.keys(Click.shape),
    batches: eachClick(context.database, questionOf(context, owner, query)),
    cellsOf: (click) => Object.values(clickAnswer(click)),
  });

/** The id before which a page begins, and how many hits are skipped first. */
type PageStart = number | readonly [before: number, offset: number];

async function pageOf(
  context: Context,
  caller: Caller,
  owner: Owner,
  query: z.output<typeof ClickListQuery>,
  selection: readonly unknown[] = [],
) {
  refuseBoth(query);
  refuseLargeOffset(query);
  const { class: ofClass, from = null, to = null, limit, offset } = query;
  const cursorScope = [caller.organizationId, owner.kind, owner.id, ofClass, from, to, ...selection];
  const cursors = new Cursors<PageStart>(context.secrets, ['clicks', ...cursorScope]);
  const start = cursors.read(query.cursor);
  const [before = query.before, left = offset] = typeof start === 'object' ? start : [start];
  const { clicks, total, next, nextOffset, isPartial } = await readClicks(
    context.database,
    questionOf(context, owner, query),
    { limit, offset: left, before },
  );
  return {
    clicks: clicks.map(clickAnswer),
    total_clicks: total,
    raw_since: formatIso(await actualRawSince(context)),
    partial: isPartial,
    ...cursors.toNext(next === null || nextOffset === 0 ? next : [next, nextOffset]),
  };
}

/** An offset skips hits one by one; a cursor reaches the same page without that. */
function refuseLargeOffset({ offset }: z.output<typeof ClickListQuery>): void {
  if (offset <= maxOffset) return;
  throw invalidField(
    'offset',
    `"offset" can be at most ${maxOffset.toLocaleString('en-US')} here. To read further, give "next" of each page as "cursor", or take a range with "from" and "to".`,
  );
}
