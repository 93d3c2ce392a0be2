import type { z } from 'zod';
import type { Context } from '../manage/context.ts';
import { readLink } from '../manage/read-links.ts';
import type { Caller } from '../rules/access.ts';
import { type ClickQuestion, eachClick, type Owner, readClicks, type StoredClick } from '../stats/clicks.ts';
import { clicksRange } from '../stats/range.ts';
import { clickAnswer } from './click-answer.ts';
import { csvLine, csvLines } from './clicks-csv.ts';
import { Cursors, refuseBoth } from './cursor.ts';
import { endpoint } from './endpoint.ts';
import { Click, ClickExportQuery, ClickList, ClickListQuery } from './schemas/click.ts';
import { linkPath } from './schemas/parts.ts';

const description =
  'Newest first; clicks alone unless `class` says otherwise. `total_clicks` counts all there ever were, also those whose raw hits are no longer kept.';

interface ClicksQuery {
  readonly class: ClickQuestion['class'];
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const questionOf = (owner: Owner, query: ClicksQuery): ClickQuestion => ({
  owner,
  class: query.class,
  range: clicksRange(query),
});

export const ofLink = endpoint({
  summary: "List a link's clicks",
  description,
  credential: 'required',
  heavy: true,
  params: linkPath,
  query: ClickListQuery,
  statuses: { 200: 'A page of hits.' },
  answer: ClickList,
  async handle({ caller, params, query }, context) {
    const { link } = await readLink(context, caller, params.id);
    return { status: 200, body: await pageOf(context, caller, { kind: 'link', id: link.id }, query) };
  },
});

export const ofOrganization = endpoint({
  summary: 'List the clicks of all links',
  description,
  credential: 'required',
  heavy: true,
  query: ClickListQuery,
  statuses: { 200: 'A page of hits.' },
  answer: ClickList,
  async handle({ caller, query }, context) {
    const owner = { kind: 'organization', id: caller.organizationId } as const;
    return { status: 200, body: await pageOf(context, caller, owner, query) };
  },
});

const exportDescription =
  'CSV as RFC 4180 has it, newest first, with a line of names. A text that a spreadsheet would take for a formula has a quote in front. An export that breaks off was cut: its connection ends without the last piece.';

export const exportOfLink = endpoint({
  summary: "Export a link's clicks",
  description: exportDescription,
  credential: 'required',
  params: linkPath,
  query: ClickExportQuery,
  statuses: { 200: 'All hits that match.' },
  streams: 'text/csv',
  async handle({ caller, params, query }, context) {
    const { link } = await readLink(context, caller, params.id);
    const question = questionOf({ kind: 'link', id: link.id }, query);
    return exported(eachClick(context.database, question), `clicks-of-link-${link.id}.csv`);
  },
});

export const exportOfOrganization = endpoint({
  summary: 'Export the clicks of all links',
  description: exportDescription,
  credential: 'required',
  query: ClickExportQuery,
  statuses: { 200: 'All hits that match.' },
  streams: 'text/csv',
  handle({ caller, query }, context) {
    const question = questionOf({ kind: 'organization', id: caller.organizationId }, query);
    return exported(eachClick(context.database, question), 'clicks.csv');
  },
});

async function exported(clicks: ReturnType<typeof eachClick>, file: string) {
  // Read before the answer begins, so that a store that is away is still said so.
  const first = await clicks.next();
  const headers = {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${file}"`,
  };
  return {
    status: 200,
    body: undefined,
    stream: { headers, chunks: () => linesOf(first.value ?? [], clicks) },
  };
}

async function* linesOf(
  first: readonly StoredClick[],
  rest: AsyncGenerator<readonly StoredClick[], void, undefined>,
) {
  const lines = (clicks: readonly StoredClick[]) =>
    csvLines(clicks, (click) => Object.values(clickAnswer(click)));
  yield csvLine(Object.keys(Click.shape)) + (await lines(first));
  for await (const clicks of rest) if (clicks.length > 0) yield await lines(clicks);
}

async function pageOf(
  { secrets, database }: Context,
  caller: Caller,
  owner: Owner,
  query: z.output<typeof ClickListQuery>,
) {
  refuseBoth(query);
  const { class: ofClass, from = null, to = null, limit, offset } = query;
  const which = [caller.organizationId, owner.kind, owner.id, ofClass, from, to];
  const cursors = new Cursors<number>(secrets, ['clicks', ...which]);
  const before = cursors.read(query.cursor) ?? query.before;
  const { clicks, total, next } = await readClicks(database, questionOf(owner, query), {
    limit,
    offset,
    before,
  });
  return {
    clicks: clicks.map(clickAnswer),
    total_clicks: total,
    ...cursors.toNext(next),
  };
}
