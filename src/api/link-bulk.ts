import type { z } from 'zod';
import type { Context } from '../manage/context.ts';
import { prepareLinks } from '../manage/create-links.ts';
import { deleteLinks } from '../manage/delete-link.ts';
import type { LinkToCreate as Wish } from '../manage/prepare-link.ts';
import { restoreLinks } from '../manage/restore-links.ts';
import type { PreparedLink } from '../manage/store-links.ts';
import { tagLinks } from '../manage/tag-links.ts';
import { Refusal } from '../rules/errors.ts';
import { endpoint, without } from './endpoint.ts';
import { errorBody, refusalOfIssues, statusOf } from './errors.ts';
import { codeKey, drawCode, linkAnswer } from './link-answer.ts';
import { creationPassesOver } from './links.ts';
import { LinkToCreate } from './schemas/link.ts';
import {
  LinkIds,
  LinkResults,
  LinksCreationQuery,
  LinksDeleted,
  LinksRestored,
  LinksToCreate,
  LinksUpdate,
  LinksUpdated,
} from './schemas/link-bulk.ts';

/** A thousand links of the usual kind take a quarter of a megabyte. */
const mostBodyBytes = 4 * 1024 * 1024;
/** A second's work, or less. */
const mostPasswords = 20;
/** So many at a time that no redirect waits long behind them. */
const perTurn = 25;

const turn = () => new Promise(setImmediate);

export const create = endpoint({
  summary: 'Create many links',
  description:
    'At most 1,000 in a call and 4 MB. Each has its own result: one that is refused leaves the others alone, unless `atomic=true`. At most 20 of them may have a password.',
  credential: 'required',
  query: LinksCreationQuery,
  body: LinksToCreate,
  mostBodyBytes,
  statuses: { 200: 'What became of each link.' },
  answer: LinkResults,
  async handle({ caller, query, body }, context) {
    const wishes: (Wish | Refusal)[] = [];
    for (const [index, sent] of body.links.entries()) {
      if (index % perTurn === perTurn - 1) await turn();
      wishes.push(wishOf(sent));
    }
    const batch = await prepareLinks(context, caller, wishes, {
      withPng: query.disable_png === 'false',
      atomic: query.atomic === 'true',
      mostPasswords,
    });
    const [made, codes] = await Promise.all([batch.store(), drawCodes(batch.links, context)]);
    const results: z.input<typeof LinkResults>['results'] = [];
    for (const [index, outcome] of made.entries()) {
      if (index % perTurn === perTurn - 1) await turn();
      results.push(
        outcome instanceof Refusal
          ? { status: statusOf[outcome.code], error: errorBody(outcome) }
          : { status: 201, link: linkAnswer(outcome, context, codes) },
      );
    }
    return { status: 200, body: { results } };
  },
});

/** While the store is at it. A link that gets another suffix than it was going to have is drawn anew in the end. */
async function drawCodes(
  links: readonly (PreparedLink | Refusal)[],
  { site }: Context,
): Promise<ReadonlyMap<string, string>> {
  const codes = new Map<string, string>();
  for (const [index, link] of links.entries()) {
    if (index % perTurn === 0) await turn();
    if (link instanceof Refusal) continue;
    const { qr_marker, qr_foreground, qr_background } = link.row;
    const url = site.linkUrl(link.host, link.suffix);
    const code = { url, qr_marker, qr_foreground, qr_background };
    codes.set(codeKey(code), drawCode(code));
  }
  return codes;
}

function wishOf(sent: unknown): Wish | Refusal {
  const parsed = LinkToCreate.safeParse(without(sent, creationPassesOver));
  if (!parsed.success) return refusalOfIssues(parsed.error.issues, sent);
  return { ...parsed.data, tags: parsed.data.tags ?? [] };
}

export const update = endpoint({
  summary: 'Tag many links',
  description: 'All of them or none. Ids of links that are not there are passed over.',
  credential: 'required',
  body: LinksUpdate,
  statuses: { 200: 'Done.' },
  answer: LinksUpdated,
  async handle({ caller, body }, context) {
    return { status: 200, body: { updated: await tagLinks(context, caller, body) } };
  },
});

export const remove = endpoint({
  summary: 'Delete many links',
  description:
    'All of them or none. Ids of links that are not there are passed over. For 30 days they can be brought back.',
  credential: 'required',
  body: LinkIds,
  statuses: { 200: 'The ids of those that were there.' },
  answer: LinksDeleted,
  async handle({ caller, body }, context) {
    const ids = await deleteLinks(context, caller, body.ids);
    return { status: 200, body: { deleted: ids.length, ids: [...ids] } };
  },
});

export const restore = endpoint({
  summary: 'Bring deleted links back',
  description:
    'As they were, with their suffix, tags and statistics. Ids that are not among the deleted links of the last 30 days are passed over; when none is, 404.',
  credential: 'required',
  body: LinkIds,
  statuses: { 200: 'The ids of those that are back.' },
  answer: LinksRestored,
  async handle({ caller, body }, context) {
    const ids = await restoreLinks(context, caller, body.ids);
    return { status: 200, body: { restored: ids.length, ids: [...ids] } };
  },
});
