import { z } from 'zod';
import { readByExternalId } from '../manage/links/external-ids.ts';
import { putLink } from '../manage/links/put-link.ts';
import { invalidField } from '../rules/errors.ts';
import { endpoint } from './endpoint.ts';
import { linkAnswer } from './link-answer.ts';
import { linkReply } from './links.ts';
import { requireInput } from './read-input.ts';
import { ConfirmationQuery, ExternalId, Link, LinkCreationQuery, LinkToCreate } from './schemas/link.ts';

const inPath = {
  description: 'The id that you gave the link; percent-encoded, with "/" as %2F.',
  examples: ['order-4711'],
};

const ExternalIdInPath = z.object({ external_id: ExternalId.meta(inPath) });

export const read = endpoint({
  summary: 'Get the link with an external id',
  params: ExternalIdInPath,
  statuses: { 200: 'The link.' },
  answer: Link,
  handle: async ({ caller, params }, context) =>
    linkAnswer(await readByExternalId(context, caller, params.external_id), context),
});

export const put = endpoint({
  summary: 'Create or update the link with an external id',
  description:
    'If no link of the organization has this external_id, one is created (201); otherwise that one is changed (200): only sent fields change, `null` or `""` clears a field (`"password": null` changes nothing), and `tags` replaces all tags. The previous address continues to work where `domain` or `suffix` changes it. `If-Match` and `confirm` as in PATCH; with `If-Match` no link is created (404).',
  params: z.object({ external_id: z.string().meta(inPath) }),
  query: ConfirmationQuery.extend({ disable_png: LinkCreationQuery.shape.disable_png }),
  body: LinkToCreate,
  takesAnswerBack: true,
  takesIfMatch: true,
  statuses: { 200: 'The link as it is now.', 201: 'The link, which is new.' },
  answer: Link,
  async handle({ caller, params, query, body, headers }, context) {
    const { external_id } = requireInput(ExternalIdInPath, params);
    if (body.external_id && body.external_id !== external_id) {
      throw invalidField(
        'external_id',
        'The external_id in the body is not the one in the path. Leave it out of the body; PATCH /api/v1/link/<id> changes it.',
      );
    }
    const options = {
      withPng: !query.disable_png,
      expectedVersion: headers.get('if-match'),
      isConfirmed: query.confirm,
    };
    return linkReply(await putLink(context, caller, { ...body, external_id }, options), context);
  },
});
