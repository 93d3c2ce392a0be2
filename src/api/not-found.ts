import type { z } from 'zod';
import type { Context } from '../manage/context.ts';
import { type NotFoundPosition, type NotFoundWithHost, readNotFound } from '../manage/read-not-found.ts';
import { dayLength } from '../rules/durations.ts';
import { formatIso } from '../rules/instant.ts';
import { Cursors } from './cursor.ts';
import { endpoint } from './endpoint.ts';
import { NotFoundList, NotFoundQuery } from './schemas/not-found.ts';

const calendarDay = (day: number): string => formatIso(day * dayLength).slice(0, 10);

const addressAnswer = (
  { host, suffix, visits, first_day, last_day, similar }: NotFoundWithHost,
  { site }: Context,
): z.input<typeof NotFoundList>['addresses'][number] => ({
  domain: site.domainUrl(host),
  suffix,
  url: site.linkUrl(host, suffix),
  visits,
  first_day: calendarDay(first_day),
  last_day: calendarDay(last_day),
  similar: similar && { id: similar.id, suffix: similar.suffix, url: site.linkUrl(host, similar.suffix) },
});

export const list = endpoint({
  summary: 'List requested addresses without a link',
  description:
    'Addresses that people requested on your domains without finding a link, most visited first: mistyped, misprinted, or deleted since. Addresses that have a link by now are omitted. Machines are not counted, nor addresses that scanners request on every site. Counted within seconds, and kept as long as individual clicks.',
  heavy: true,
  query: NotFoundQuery,
  statuses: { 200: 'A page of addresses.' },
  otherErrors: ['403'],
  answer: NotFoundList,
  async handle({ caller, query: { domain, days, limit, cursor } }, context) {
    const cursorScope = [caller.organizationId, caller.role, domain, days];
    const cursors = new Cursors<NotFoundPosition>(context.secrets, ['not found', ...cursorScope]);
    const question = { domain: domain || undefined, days, limit, after: cursors.read(cursor) };
    const { addresses, others, next } = await readNotFound(context, caller, question);
    return {
      addresses: addresses.map((address) => addressAnswer(address, context)),
      other_visits: others,
      ...cursors.toNext(next),
    };
  },
});
