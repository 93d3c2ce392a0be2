import type { Context } from '../manage/context.ts';
import { createLink } from '../manage/links/create-links.ts';
import { deleteLink } from '../manage/links/delete-link.ts';
import type { LinkWithTags } from '../manage/links/prepared-link.ts';
import { type LinkPosition, readLink, readLinks } from '../manage/links/read-links.ts';
import { updateLink } from '../manage/links/update-link.ts';
import { mapInSlices } from '../manage/time-slice.ts';
import { invalidField, Refusal } from '../rules/errors.ts';
import { dailyClicks } from '../stats/daily.ts';
import { Cursors, refuseBoth } from './cursor.ts';
import { endpoint, Reply } from './endpoint.ts';
import { Json } from './json.ts';
import { linkAnswer, linkJson } from './link-answer.ts';
import {
  ConfirmationQuery,
  Link,
  LinkCreationQuery,
  LinkList,
  LinkListQuery,
  LinkToCreate,
  LinkUpdate,
} from './schemas/link.ts';
import { linkPath } from './schemas/parts.ts';

export const create = endpoint({
  summary: 'Create a link',
  query: LinkCreationQuery,
  body: LinkToCreate,
  takesAnswerBack: true,
  isIdempotentByKey: true,
  statuses: { 201: 'The link.', 200: 'With `if_exists=return`: the link that was there.' },
  answer: Link,
  handle({ caller, query, body, answerWith }, context) {
    const options = { withPng: !query.disable_png, findsFirst: query.if_exists === 'return' };
    return answerWith(
      (link: LinkWithTags) => linkReply(link, context),
      () => createLink(context, caller, body, options),
    );
  },
});

/** For calls that make a link, unless there is one already. */
export const linkReply = (link: LinkWithTags, context: Context) =>
  new Reply({ status: link.isFound ? 200 : 201, body: linkAnswer(link, context) });

/** Clients cut answers at 10 MiB: an error is better than half a page. */
const maxAnswerLength = 10 * 1024 * 1024;
/** The longest possible link is under 100 KB: this many of them fit, whatever they contain. */
const linksThatFit = 100;
const maxWithDays = 100;

export const list = endpoint({
  summary: 'List links',
  description:
    'Newest first, or by `sort`. `total_links` counts all matches, on all pages. `next` leads to the next page.',
  heavy: true,
  query: LinkListQuery,
  statuses: { 200: 'A page of links.' },
  answer: LinkList,
  async handle({ caller, query }, context) {
    if (query.daily !== undefined && query.limit > maxWithDays) {
      throw invalidField('limit', `With "daily" a page has at most ${maxWithDays} links.`);
    }
    refuseBoth(query);
    const cursorScope = [
      ...[query.sort, query.q || null, query.tag ?? null, query.domain || null],
      ...[query.archived ?? null, query.on_paper ?? null, query.has_problem ?? null],
    ];
    const cursors = new Cursors<LinkPosition>(context.secrets, [
      'links',
      caller.organizationId,
      ...cursorScope,
    ]);
    const { links, total, next, isPartial } = await readLinks(context, caller, {
      ...query,
      order: query.sort,
      after: cursors.read(query.cursor),
    });
    const daily = query.daily === undefined ? undefined : await dailyClicksOf(context, links, query.daily);
    let length = 0;
    // A thousand QR codes in one go would delay every redirect behind them.
    const answers = await mapInSlices(links, (link, index) => {
      const days = daily?.get(link.link.id);
      const answer = days
        ? Json.of({ ...linkAnswer(link, context), daily_clicks: days })
        : linkJson(link, context);
      if (links.length > linksThatFit) length += Buffer.byteLength(answer.text);
      if (length > maxAnswerLength) {
        throw new Refusal(
          'PAGE_TOO_LARGE',
          `These links are long: ask for at most ${Math.max(1, Math.floor(index / 2))} at a time.`,
          { field: 'limit' },
        );
      }
      return answer;
    });
    return Json.object({
      links: Json.list(answers),
      total_links: Json.of(total),
      ...(next && { next: Json.of(cursors.write(next)) }),
      ...(isPartial && { partial: Json.of(true) }),
    });
  },
});

const dailyClicksOf = (context: Context, links: readonly LinkWithTags[], days: number) =>
  dailyClicks(
    context.database.read,
    links.map(({ link }) => link.id),
    days,
    context.now(),
  );

export const read = endpoint({
  summary: 'Get one link',
  params: linkPath,
  statuses: { 200: 'The link.' },
  answer: Link,
  handle: async ({ caller, params }, context) =>
    linkAnswer(await readLink(context, caller, params.id), context),
});

export const update = endpoint({
  summary: 'Update a link',
  description:
    'Only sent fields change. `null` or `""` clears a field. A Link from a response may be sent back. If `domain` or `suffix` changes, the previous address continues to work as an alias. With the header `If-Match: "<updated_at>"` a link that has changed since is left unchanged: 409 `LINK_CHANGED`.',
  params: linkPath,
  query: ConfirmationQuery,
  body: LinkUpdate,
  takesAnswerBack: true,
  takesIfMatch: true,
  statuses: { 200: 'The link as it is now.' },
  answer: Link,
  async handle({ caller, params, query, body, headers }, context) {
    const { has_password, tags, ...changes } = body;
    if (tags) {
      const before = (await readLink(context, caller, params.id)).tags;
      if (before.length !== tags.length || before.some(({ id }) => !tags.includes(id)))
        throw new Refusal('FIELD_FIXED', 'Change the tags of a link with add_tags and remove_tags.', {
          field: 'tags',
        });
    }
    // A link that was read has null for its hidden password; sending it back doesn't remove the password.
    const password = has_password === true && changes.password === null ? undefined : changes.password;
    const update = { ...changes, password };
    const options = { expectedVersion: headers.get('if-match'), isConfirmed: query.confirm };
    return linkAnswer(await updateLink(context, caller, params.id, update, options), context);
  },
});

export const remove = endpoint({
  summary: 'Delete a link',
  description:
    'It can be restored for 30 days. One that is in print needs `confirm=true`. With the header `If-Match: "<updated_at>"` a link that has changed since is not deleted: 409 `LINK_CHANGED`.',
  params: linkPath,
  query: ConfirmationQuery,
  takesIfMatch: true,
  statuses: { 204: 'Deleted.' },
  handle: ({ caller, params, query, headers }, context) =>
    deleteLink(context, caller, params.id, query.confirm, headers.get('if-match')),
});
