import { changeLinks } from '../manage/links/change-links.ts';
import { createLinks } from '../manage/links/create-links.ts';
import { deleteLinks } from '../manage/links/delete-link.ts';
import type { LinkToCreate as LinkInput } from '../manage/links/prepare-link.ts';
import type { Outcome } from '../manage/links/prepared-link.ts';
import { restoreLinks } from '../manage/links/restore-links.ts';
import { Refusal } from '../rules/errors.ts';
import { endpoint } from './endpoint.ts';
import { LinkAnswers } from './link-answers.ts';
import { without } from './read-body.ts';
import { answerOnlyFields, readInput } from './read-input.ts';
import { ConfirmationQuery, Link, LinkToCreate } from './schemas/link.ts';
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

/** A thousand ordinary links take a quarter of a megabyte. */
const maxBodyBytes = 4 * 1024 * 1024;
/** At most a second's work. */
const maxPasswords = 20;

export const create = endpoint({
  summary: 'Create many links',
  long: true,
  description:
    'At most 1,000 in a call and 4 MB. Each has its own result: a refused one doesn’t affect the others, unless `atomic=true`. At most 20 of them may have a password.',
  query: LinksCreationQuery,
  body: LinksToCreate,
  maxBodyBytes,
  isIdempotentByKey: true,
  statuses: { 200: 'What became of each link.' },
  answer: LinkResults,
  async handle({ caller, query, body, answerWith }, context) {
    const options = {
      read: inputOf,
      hasPassword,
      withPng: !query.disable_png,
      findsFirst: query.if_exists === 'return',
      atomic: query.atomic,
      maxPasswords,
    };
    const answers = new LinkAnswers(context);
    return answerWith(
      (outcomes: readonly Outcome[]) => answers.all(outcomes),
      () => createLinks(context, caller, body.links, options, (placed) => answers.write(placed)),
    );
  },
});

const ignoredFields = answerOnlyFields(Link, LinkToCreate);

function inputOf(sent: unknown): LinkInput | Refusal {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return noLink();
  return readInput(LinkToCreate, without(sent, ignoredFields));
}

const hasPassword = (sent: unknown): boolean =>
  typeof sent === 'object' && sent !== null && 'password' in sent && Boolean(sent.password);

const noLink = (): Refusal =>
  new Refusal(
    'FIELD_INVALID',
    'Each entry of "links" must be a JSON object, such as {"destination_url": "https://example.com"}.',
  );

export const update = endpoint({
  summary: 'Change many links',
  long: true,
  description: "All of them or none. Ids of links that don't exist are skipped.",
  query: ConfirmationQuery,
  body: LinksUpdate,
  statuses: { 200: 'Done.' },
  answer: LinksUpdated,
  handle: async ({ caller, query, body }, context) => ({
    updated: await changeLinks(context, caller, body, query.confirm),
  }),
});

export const remove = endpoint({
  summary: 'Delete many links',
  long: true,
  description:
    'All of them or none. Ids of links that don’t exist are skipped. They can be restored for 30 days.',
  query: ConfirmationQuery,
  body: LinkIds,
  statuses: { 200: 'The ids of those that were there.' },
  answer: LinksDeleted,
  async handle({ caller, query, body }, context) {
    const ids = await deleteLinks(context, caller, body.ids, query.confirm);
    return { deleted: ids.length, ids: [...ids] };
  },
});

export const restore = endpoint({
  summary: 'Restore deleted links',
  long: true,
  description:
    'Unchanged, with their suffix, tags and statistics. Ids that are not among the deleted links of the last 30 days are skipped; if none is, 404.',
  body: LinkIds,
  statuses: { 200: 'The ids of the restored links.' },
  otherErrors: ['404'],
  answer: LinksRestored,
  async handle({ caller, body }, context) {
    const ids = await restoreLinks(context, caller, body.ids);
    return { restored: ids.length, ids: [...ids] };
  },
});
