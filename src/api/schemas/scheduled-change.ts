import { z } from 'zod';
import { changeChannels } from '../../rules/access.ts';
import { parseInstant } from '../../rules/instant.ts';
import { LinkUpdate } from './link.ts';
import { component, isoInstant, keyField, memberField, text, textOrNull } from './parts.ts';

/** Why a scheduled action was not carried out, in the form of an error. */
export const refusalField = z
  .object({ error_code: z.string(), field_key: textOrNull, error_string: z.string() })
  .nullable();

export const ScheduledChange = component('ScheduledChange', {
  id: z.int(),
  link_id: z.int(),
  at: isoInstant,
  changes: z.record(z.string(), z.unknown()).describe('Fields as in a PATCH of the link.'),
  status: z
    .enum(['open', 'applied', 'refused'])
    .describe('refused: it could not be applied; `refusal` says why.'),
  done_at: isoInstant.nullable().describe('When it was applied or refused.'),
  refusal: refusalField,
  created_at: isoInstant,
  updated_at: isoInstant,
  by: memberField.describe('Its author, who created or last changed it; null for a former member.'),
  via: z.enum(changeChannels),
  api_key: keyField,
});

export const ScheduledChanges = component('ScheduledChanges', { scheduled: z.array(ScheduledChange) });

const at = text(64)
  .refine((value) => parseInstant(value) !== null, {
    error: 'Give an instant such as 2030-12-31T18:00:00Z.',
  })
  .transform((value) => parseInstant(value) ?? 0)
  .describe('ISO 8601 date or date-time, UTC unless it has an offset; within a year.');

/** Fields that can only be sent back as they were read are excluded. */
const changes = LinkUpdate.omit({ tags: true, has_password: true })
  .refine((sent) => Object.values(sent).some((value) => value !== undefined), {
    error: 'Say what is to change, such as {"disabled": true}.',
    params: { code: 'FIELD_MISSING' },
  })
  .describe('Fields as a PATCH of the link takes them. No password and no webhook key but `null`.');

export const ChangeToSchedule = z.strictObject({ at, changes });

export const ScheduledUpdate = z.strictObject({ at: at.optional(), changes: changes.optional() });
