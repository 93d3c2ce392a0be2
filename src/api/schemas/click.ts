import { z } from 'zod';
import { eachField, originFields, visitorFields } from '../../rules/click-fields.ts';
import { listedClasses } from '../../stats/clicks.ts';
import { maxPerPage } from './link.ts';
import { nextField, pageParameters } from './page.ts';
import { component, isoInstant, queryNumber, textOrNull } from './parts.ts';
import { chosenLinksFields, instantText, rawSinceField } from './stats.ts';

/** The API has the device between the country and the other fields. */
export const [, ...fieldsAfterDevice] = [...visitorFields, ...originFields] as const;

export const Click = component('Click', {
  id: z.int().describe('The same in webhooks, exports, the live stream and Zapier.'),
  link_id: z.int(),
  clicked_at: isoInstant,
  outcome: z
    .string()
    .describe('redirect, preview, ask_password, ask_captcha, refused, expired or not_started.'),
  destination: textOrNull.describe(
    'default, android, ios or rule: which destination. Null without a redirect.',
  ),
  class: z.string().describe('human, preview, bot, prefetch, head, repeat or flood.'),
  reason: z.string().describe('Why it has this class.'),
  country: textOrNull.describe('Two letters; XX if unknown.'),
  device: z.string(),
  ...eachField(fieldsAfterDevice, (field) =>
    field === 'referrer' ? textOrNull.describe('The host that the visitor came from.') : textOrNull,
  ),
  source: z.string().describe('`qr` if the address had the marker `?qr`, otherwise `link`.'),
  rule: textOrNull.describe(
    'The id of the rule that redirected the visitor. Null for none, and for hits from before rules were stored.',
  ),
  variant: textOrNull.describe("The id of the rule's variant to which the visitor was redirected."),
  region: textOrNull.describe(
    'ISO 3166-2, such as DE-BY. Null if the country file has none, and for hits from before regions were stored.',
  ),
  city: textOrNull.describe('Its English name, null as with the region.'),
  address: textOrNull.describe(
    "The alias that was visited, such as `go.example.com/old`. Null for the link's own address, and for hits from before aliases were stored.",
  ),
});

export const ClickList = component('ClickList', {
  clicks: z.array(Click),
  total_clicks: z.int(),
  raw_since: rawSinceField,
  partial: z
    .boolean()
    .describe('The time limit ended this page before it was full. `next` continues where it ended.'),
  next: nextField,
});

const classFilter = z
  .enum(listedClasses)
  .default('click')
  .describe('click: people who were redirected. human: people, redirected or not. all: every hit.');

const span = {
  class: classFilter,
  from: instantText('A date is its first instant.'),
  to: instantText('A date includes that day.'),
};

/** Further pages are reached by `cursor`. */
export const maxOffset = 10_000;

export const ClickListQuery = z.object({
  ...pageParameters(maxPerPage),
  before: queryNumber(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Only hits with a lower id: with the last id of a page, the next page.'),
  ...span,
});

export const OrganizationClickListQuery = ClickListQuery.extend(chosenLinksFields);

export const ClickExportQuery = z.object(span);

export const OrganizationClickExportQuery = ClickExportQuery.extend(chosenLinksFields);

export const LiveQuery = z.object({
  class: classFilter,
  last_event_id: queryNumber(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      'Continues after this hit, unless there is a header `Last-Event-ID`, which does the same; without both, from now on.',
    ),
  ...chosenLinksFields,
});
