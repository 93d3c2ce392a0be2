import { z } from 'zod';
import { answerOnlyFields } from '../read-input.ts';
import { answerFields } from './answer-fields.ts';
import { ErrorAnswer } from './error.ts';
import { Link, LinkCreationQuery, LinkToCreate, maxPerPage } from './link.ts';
import { component, id, queryFlag, tagId } from './parts.ts';

const maxAtOnce = maxPerPage;

const { $schema: _, ...linkToCreate } = z.toJSONSchema(LinkToCreate, {
  io: 'input',
  unrepresentable: 'any',
  reused: 'inline',
});

const documentedLink = {
  ...linkToCreate,
  properties: { ...linkToCreate.properties, ...answerFields(answerOnlyFields(Link, LinkToCreate)) },
};

/** Each link is checked on its own, so that an invalid one fails alone: here it only has to be present. */
export const LinksToCreate = z.strictObject(
  { links: z.array(z.unknown().meta(documentedLink)).min(1).max(maxAtOnce) },
  {
    error: ({ input }) => (Array.isArray(input) ? 'Put the list into an object: {"links": […]}.' : undefined),
  },
);

export const LinksCreationQuery = LinkCreationQuery.extend({
  atomic: queryFlag().describe('true: all links are made, or none; what is wrong with which is in `errors`.'),
});

export const LinkResults = component('LinkResults', {
  results: z
    .array(
      z.union([
        z.object({ status: z.union([z.literal(201), z.literal(200)]), link: Link }),
        z.object({ status: z.int(), error: ErrorAnswer }),
      ]),
    )
    .describe('One for each link in the request, in the same order.'),
});

const linkIds = z
  .array(id)
  .min(1)
  .max(maxAtOnce)
  .transform((ids) => [...new Set(ids)])
  .describe('Ids of links.');

const bareIds = ({ input }: { input?: unknown }) =>
  Array.isArray(input) ? 'Put the ids into an object: {"ids": […]}.' : undefined;

export const LinkIds = z.strictObject({ ids: linkIds }, { error: bareIds });

const tagIds = (verb: string) => z.array(tagId).max(100).default([]).describe(`Ids of tags to ${verb}.`);

export const LinksUpdate = z.strictObject({
  ids: linkIds,
  add_tags: tagIds('attach'),
  remove_tags: tagIds('detach'),
  disabled: z.boolean().optional().describe('true: visitors are told that the links have ended.'),
  archived: z.boolean().optional().describe('true: the links are omitted from the list.'),
  on_paper: z.boolean().optional().describe('true: the links are in print.'),
  watch_destination: z
    .boolean()
    .nullish()
    .describe('Whether destinations of the links are checked; null: the setting of the organization.'),
});

export const LinksUpdated = component('LinksUpdated', {
  updated: z.int().describe('The number of the links that exist.'),
});
export const LinksDeleted = component('LinksDeleted', { deleted: z.int(), ids: z.array(z.int()) });
export const LinksRestored = component('LinksRestored', { restored: z.int(), ids: z.array(z.int()) });
