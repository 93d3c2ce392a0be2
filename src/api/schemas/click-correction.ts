import { z } from 'zod';
import { reclassifiable } from '../../rules/reclassified.ts';
import { nextField } from './page.ts';
import { component, id, intOrNull, isoInstant, memberField, queryFlag, textOrNull } from './parts.ts';
import { instantText } from './stats.ts';

export const ClickCorrection = component('ClickCorrection', {
  id: z.int(),
  created_at: isoInstant,
  created_by: memberField.describe('Null: a former member.'),
  kind: z.enum(['erase', 'reclassify', 'take_back']),
  link_id: intOrNull.describe('Null: all links of the organization.'),
  from: textOrNull.describe('ISO 8601, UTC. Null: from the first click on.'),
  to: z.string().describe('ISO 8601, UTC: the first instant after the span.'),
  class: textOrNull.describe('The class that the hits had; null if they were erased.'),
  to_class: textOrNull,
  takes_back: intOrNull.describe('The correction that this one reverts.'),
  hits: z.int().describe('The number of individual hits erased or changed so far.'),
  not_kept: z
    .int()
    .describe(
      'Hits of the span that only exist in totals. An erasure removes them from the totals; a reclassification leaves them unchanged.',
    ),
  state: z.enum(['running', 'done']),
  finished_at: textOrNull.describe('ISO 8601, UTC.'),
});

export const ClickCorrectionList = component('ClickCorrectionList', {
  corrections: z.array(ClickCorrection),
  next: nextField,
});

const span = {
  from: instantText('A date is its first instant. Default: the first click.'),
  to: instantText('A date includes that day. Default: now.'),
};

export const ClickErasureQuery = z.object(span);

export const AllClicksErasureQuery = z.object({
  ...span,
  confirm: queryFlag().describe(
    'True if neither `from` nor `to` is given: every click of the organization is erased.',
  ),
});

const reclassifiableClass = () => z.enum(reclassifiable).optional();

export const ClickReclassification = z.strictObject({
  ...span,
  class: reclassifiableClass().describe('The class that the hits have now.'),
  to_class: reclassifiableClass().describe(
    'The class that they get. `human` is a click if the visitor was redirected.',
  ),
  take_back: id
    .optional()
    .describe(
      'Instead of all others: the id of a correction. The hits that it moved out of their first class get class and reason back. Refused if others of its hits had been reclassified before: their class between is not known.',
    ),
});
