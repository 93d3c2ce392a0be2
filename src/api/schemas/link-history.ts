import { z } from 'zod';
import { changeChannels } from '../../rules/access.ts';
import { LinkRule } from './link-rules.ts';
import { nextField } from './page.ts';
import { component, intOrNull, isoInstant, keyField, memberField } from './parts.ts';
import { refusalField } from './scheduled-change.ts';

const value = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.string()),
  z.array(z.object({ id: z.int(), name: z.string() })),
  z.array(LinkRule).readonly(),
  z.null(),
]);

export const LinkHistoryEntry = component('LinkHistoryEntry', {
  id: z.int().describe('Increases with each entry. 0: the creation of the link.'),
  at: isoInstant,
  action: z
    .enum(['created', 'changed', 'deleted', 'restored', 'not_applied'])
    .describe('not_applied: a scheduled change that was refused at its instant; `refusal` says why.'),
  back_to: intOrNull.describe('The entry to which this change reverted, if it did.'),
  scheduled: intOrNull.describe('The id of the scheduled change that this was, or would have been.'),
  refusal: refusalField,
  by: memberField.describe('Null for a former member, and for automatic changes.'),
  via: z
    .enum(changeChannels)
    .nullable()
    .describe('Null for the creation of a link from before there was a history.'),
  api_key: keyField,
  changes: z.array(
    z.object({
      field: z.string().describe('Its name in a Link.'),
      from: value,
      to: value,
      hidden: z.boolean().describe('True for a secret: only the fact that it changed is stored.'),
    }),
  ),
});

export const LinkHistory = component('LinkHistory', { history: z.array(LinkHistoryEntry), next: nextField });

export const LinkReversion = z.strictObject({
  entry: z.int().min(0).describe('The id of an entry of its history. 0: the state at its creation.'),
});
