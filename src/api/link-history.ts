import type { z } from 'zod';
import { type HistoryEntry, readHistory, revertLink } from '../manage/links/link-history.ts';
import type { ChangeChannel } from '../rules/access.ts';
import { formatIso } from '../rules/instant.ts';
import { Cursors } from './cursor.ts';
import { endpoint } from './endpoint.ts';
import { linkAnswer } from './link-answer.ts';
import { refusalAnswer } from './scheduled-changes.ts';
import { ConfirmationQuery, Link } from './schemas/link.ts';
import { LinkHistory, type LinkHistoryEntry, LinkReversion } from './schemas/link-history.ts';
import { HistoryPageQuery } from './schemas/page.ts';
import { linkPath } from './schemas/parts.ts';

const entryAnswer = (entry: HistoryEntry): z.input<typeof LinkHistoryEntry> => ({
  id: entry.id,
  at: formatIso(entry.at),
  action: entry.action,
  back_to: entry.back_to,
  scheduled: entry.scheduled,
  refusal: refusalAnswer(entry.refusal),
  by: entry.by,
  via: entry.via as ChangeChannel | null,
  api_key: entry.key,
  changes: entry.changes.map((change) =>
    'hidden' in change
      ? { field: change.field, from: null, to: null, hidden: true }
      : { field: change.field, from: change.from, to: change.to, hidden: false },
  ),
});

export const list = endpoint({
  summary: 'List the changes of a link',
  description:
    'By whom, when, and the old and new values, newest first; its creation is the last entry. It contains no secrets.',
  params: linkPath,
  query: HistoryPageQuery,
  statuses: { 200: 'A page of entries.' },
  answer: LinkHistory,
  async handle({ caller, params, query }, context) {
    const cursors = new Cursors<number>(context.secrets, ['history', caller.organizationId, params.id]);
    const page = { limit: query.limit, before: cursors.read(query.cursor) };
    const { entries, next } = await readHistory(context, caller, params.id, page);
    return { history: entries.map(entryAnswer), ...cursors.toNext(next) };
  },
});

export const restore = endpoint({
  summary: 'Revert a link to an earlier state',
  description:
    'The link gets the settings and tags that it had after that entry, except secrets and deleted tags; that is a change like any other, with its own entry. With the header `If-Match: "<updated_at>"` a link that has changed since is left unchanged: 409 `LINK_CHANGED`.',
  params: linkPath,
  query: ConfirmationQuery,
  body: LinkReversion,
  takesIfMatch: true,
  statuses: { 200: 'The link as it is now.' },
  answer: Link,
  handle: async ({ caller, params, query, body, headers }, context) =>
    linkAnswer(
      await revertLink(context, caller, params.id, body.entry, {
        expectedVersion: headers.get('if-match'),
        isConfirmed: query.confirm,
      }),
      context,
    ),
});
