import type { z } from 'zod';
import { chosenLinks } from '../manage/chosen-links.ts';
import type { Context } from '../manage/context.ts';
import { readLink } from '../manage/read-links.ts';
import type { Caller } from '../rules/access.ts';
import { invalidField } from '../rules/errors.ts';
import { formatIso } from '../rules/instant.ts';
import { type ClickQuestion, eachClick, type Owner, readClicks } from '../stats/clicks.ts';
import { clicksRange } from '../stats/range.ts';
import { clickAnswer } from './click-answer.ts';
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
  async handle({ caller, params, query }, context) {
    const { link } = await readLink(context, caller, params.id);
    return pageOf(
      context,
      caller,
      { kind: 'link', id: link.id, organizationId: caller.organizationId },
      query,
    );
  },
});

export const ofOrganization = endpoint({
  ...listOutline,
  query: OrganizationClickListQuery,
  summary: 'List the clicks of all links, or of some',
  async handle({ caller, query: { tag: tagIds, domain, ids, ...query } }, context) {
    const links = await chosenLinks(context, caller, { tagIds, domain: domain || undefined, ids });
    const owner: Owner = { kind: 'organization', id: caller.organizationId, links };
    // A cursor stays valid when further links get the tag.
    const selection = links ? [{ tagIds, domain, ids }] : [];
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
    const { link } = await readLink(context, caller, params.id);
    return exportReply(
      context,
      questionOf(context, { kind: 'link', id: link.id, organizationId: caller.organizationId }, query),
      `clicks-of-link-${link.id}.csv`,
    );
  },
});

export const exportOfOrganization = endpoint({
  ...exportOutline,
  query: OrganizationClickExportQuery,
  summary: 'Export the clicks of all links, or of some',
  async handle({ caller, query: { tag: tagIds, domain, ids, ...query } }, context) {
    const links = await chosenLinks(context, caller, { tagIds, domain: domain || undefined, ids });
    const owner: Owner = { kind: 'organization', id: caller.organizationId, links };
    return exportReply(context, questionOf(context, owner, query), 'clicks.csv');
  },
});

const questionOf = (
  context: Context,
  owner: Owner,
  query: z.output<typeof ClickExportQuery>,
): ClickQuestion => ({
  owner,
  class: query.class,
  range: clicksRange(query),
  rawSince: rawSince(context),
});

const exportReply = ({ database }: Context, question: ClickQuestion, file: string) =>
  csvReply({
    file,
    columns: Object.keys(Click.shape),
    batches: eachClick(database, question),
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
