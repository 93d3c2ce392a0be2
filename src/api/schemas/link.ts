import { z } from 'zod';
import { queryForwardings, redirectStatuses } from '../../rules/destinations/forwarding.ts';
import { destinationProblems } from '../../rules/destinations/watched-destinations.ts';
import { linkOrders } from '../../rules/link-order.ts';
import { webhookEvents } from '../../rules/webhook-event.ts';
import { LinkRule, linkRules } from './link-rules.ts';
import { nextField, pageParameters } from './page.ts';
import {
  clearable,
  component,
  intOrNull,
  isoInstant,
  queryFlag,
  queryFlagOr,
  queryNumber,
  singleLine,
  stamp,
  tagId,
  text,
  textOrNull,
} from './parts.ts';
import { Tag } from './tag.ts';

const maxClickLimit = 1_000_000_000;

const clears = '`null` or `""` clears it.';

const DestinationProblem = component('DestinationProblem', {
  url: z.string(),
  problem: z
    .enum(destinationProblems)
    .describe(
      'broken: no response, or 404, 410 or 5xx; certificate: not accepted; moved: a permanent redirect; parked: the page of a company that parks or sells domains.',
    ),
  detail: z.string().describe('A sentence; for `moved`, the new address.'),
  since: isoInstant,
});

export const Link = component('Link', {
  id: z.int(),
  created_at: stamp,
  updated_at: z.string().describe('ISO 8601, UTC. Increases with every change; see If-Match.'),
  domain: z.string().describe('With its scheme: https://<domain>.'),
  suffix: z.string(),
  aliases: z.array(z.string()).meta({
    description: 'Further addresses of the link, such as earlier ones.',
    examples: [['https://go.example.com/sprnig']],
  }),
  organization_id: z.int(),
  og_title: textOrNull,
  og_description: textOrNull,
  og_image: textOrNull,
  destination_url: z
    .string()
    .describe(
      'A URI, unchanged if a valid one was sent. Braces of a template are kept; visitors get them escaped.',
    ),
  destination_title: textOrNull.meta({
    description: 'The title of the page there. Null: unknown, or not yet known.',
    examples: ['Spring collection'],
  }),
  destination_icon: textOrNull.describe('The URL of its icon, on this service.'),
  qr_code_svg: z.string(),
  qr_code_png: textOrNull.describe('Null if the link was created with disable_png=true.'),
  url: z.string().meta({
    format: 'uri',
    description: 'Percent-encoded if the suffix is not ASCII. The readable form: domain, a slash, suffix.',
  }),
  start_date: isoInstant.nullable(),
  before_start_url: textOrNull,
  expiration_date: isoInstant.nullable(),
  expired_url: textOrNull,
  click_limit: intOrNull.describe('The number of clicks after which it ends.'),
  clicks_left: intOrNull.meta({ description: 'Of `click_limit`. Null: there is none.', examples: [412] }),
  forward_query: z
    .enum(queryForwardings)
    .nullable()
    .describe('Null: the setting of the instance (`FORWARD_QUERY`).'),
  forward_path: z.boolean(),
  rules: z.array(LinkRule).readonly(),
  redirect_status: z.literal(redirectStatuses),
  qr_code_foreground_hex: z.string(),
  qr_code_background_hex: z.string(),
  qr_code_marker: z
    .boolean()
    .describe(
      'True: the QR codes contain the url followed by ?qr, so that statistics distinguish scans from clicks.',
    ),
  has_password: z.boolean(),
  password: z.null(),
  android_link_destination: textOrNull,
  ios_link_destination: textOrNull,
  bot_protection: z.boolean(),
  captcha: z.boolean(),
  name: textOrNull,
  notes: textOrNull,
  external_id: textOrNull.describe('An id of your own, unique in the organization.'),
  disabled: z.boolean().describe('True: visitors are told that the link has ended.'),
  archived: z.boolean().describe('True: it works, and is omitted from the list.'),
  on_paper: z.boolean().describe('True: it is in print, and ending it needs confirmation.'),
  statistics: z.boolean().describe('False: nothing about its visitors is stored except their number.'),
  watch_destination: z
    .boolean()
    .nullable()
    .describe('Whether its destinations are checked daily. Null: the setting of the organization.'),
  destination_problems: z
    .array(DestinationProblem)
    .describe('Problems of its destinations, found twice, at least an hour apart. Ten at most.'),
  tags: z.array(Tag),
  webhook_url: textOrNull,
  webhook_auth_key: textOrNull,
  webhook_events: z.array(z.enum(webhookEvents)).describe('The events that are sent to webhook_url.'),
  zapier_key: z.string(),
  zapier_webhook_url_new_click: textOrNull,
  clicks: z.int().describe('People who were redirected since the link was created.'),
  last_clicked_at: textOrNull.describe('ISO 8601, UTC. Null: never, or never while it had statistics.'),
  daily_clicks: z
    .array(z.int())
    .optional()
    .describe('With `daily` in the list: clicks of that many UTC days, today last.'),
});

const address = () => text(8192).describe('A web address; without a scheme it gets https.');

const date = (what: string) =>
  text(64).nullish().describe(`${what} ISO 8601 date or date-time, UTC unless it has an offset. ${clears}`);

const colour = () =>
  text(7)
    .nullish()
    .meta({ description: `# and six hex digits. ${clears}`, examples: ['#1A2B3C'] });

const flag = () => z.union([z.boolean(), z.literal('')]).nullish();

/** Clients resolve "." and ".." before they send a URL, even percent-encoded. */
const canBeInPath = (id: string): boolean => id !== '.' && id !== '..';
const dotsAlone = 'An external_id can not be "." or "..", which no URL can name.';

/** The common fields of creation and update, all optional. */
const settings = {
  password: singleLine(256).nullish(),
  og_title: text(300).nullish(),
  og_description: text(1000).nullish(),
  og_image: text(2048).nullish(),
  start_date: date('The instant from which it redirects.'),
  before_start_url: address()
    .nullish()
    .describe('Where visitors are redirected before `start_date`. Default: a page that says when it starts.'),
  expiration_date: date('The instant at which it ends.'),
  expired_url: address()
    .nullish()
    .describe('Where visitors are redirected after its end. Default: a page that says that it has ended.'),
  click_limit: clearable(
    z.int().min(1).max(maxClickLimit),
    'Send a whole number from 1 to 1,000,000,000, or null for no limit.',
  ).meta({
    description: `The number of clicks after which it ends, including those that it has when the limit is set. Previews, bots and other visits that are no clicks don’t count. ${clears}`,
    examples: [500],
  }),
  rules: linkRules,
  forward_query: clearable(
    z.enum(queryForwardings),
    'Send "none", "merge" (parameters of the destination win) or "override" (those of the visitor win).',
  ).describe(
    `How the parameters in a visitor's address are forwarded. none: not at all; merge: they are added, and those of the destination win; override: theirs win. Default: the setting \`FORWARD_QUERY\`, by default none. ${clears}`,
  ),
  forward_path: flag().describe(
    "true: the part after the suffix in a visitor's address is appended to the destination's path. The longest suffix wins.",
  ),
  redirect_status: clearable(z.literal(redirectStatuses), 'Send 301, 302, 307 or 308, as a number.').describe(
    `The status of the redirect. Default: 302. ${clears}`,
  ),
  qr_code_foreground_hex: colour(),
  qr_code_background_hex: colour(),
  qr_code_marker: flag().describe(
    'Whether the QR codes contain the marker of scans. Default: the setting of the organization.',
  ),
  name: text(500).nullish(),
  notes: text(2000).nullish().describe(`Only for your organization; found by \`q\`. ${clears}`),
  external_id: text(255)
    .refine(canBeInPath, { error: dotsAlone })
    .nullish()
    .meta({
      description: `An id of your own, unique in the organization. ${clears}`,
      examples: ['order-4711'],
    }),
  disabled: flag().describe('true: visitors are told that the link has ended, from now on.'),
  archived: flag().describe('true: it continues to work, and is omitted from the list.'),
  on_paper: flag().describe(
    'true: its address or code is in print. Deleting or ending it then needs `confirm=true`.',
  ),
  statistics: flag().describe(
    'false: nothing about its visitors is stored, not even the time: only `clicks` increases with each person who is redirected. No live view, no export, no webhook for clicks. Default: true.',
  ),
  watch_destination: flag().describe(
    `true: its destinations are checked daily, and problems are reported; false: they are not. Default: the setting of the organization. ${clears}`,
  ),
  android_link_destination: address().nullish(),
  ios_link_destination: address().nullish(),
  bot_protection: flag(),
  captcha: flag(),
  webhook_url: text(2048).nullish(),
  webhook_auth_key: text(256).nullish(),
  webhook_events: clearable(
    z.array(z.enum(webhookEvents)).max(16),
    `Send a list such as ["click"]. There are ${webhookEvents.join(', ')}.`,
  ).describe('The events that are sent to webhook_url. `null` or `""` means only clicks.'),
};

const utm = (meaning: string, example: string) =>
  text(255)
    .nullish()
    .meta({
      description: `The ${meaning}, as a parameter of \`destination_url\`: it is written into it, and returned as part of it. ${clears}`,
      examples: [example],
    });

const utmParameters = {
  utm_source: utm('source of visits', 'newsletter'),
  utm_medium: utm('medium of visits', 'email'),
  utm_campaign: utm('campaign', 'spring'),
  utm_term: utm('term that was paid for', 'short links'),
  utm_content: utm('part of the campaign', 'button'),
};

/** Null and `""` are an empty list: where it replaces another one, they remove all. */
const wholeList = <T>(list: z.ZodType<T[], unknown>, error: string) =>
  clearable(list, error).transform((items) => (items === undefined ? undefined : items || []));

/** Null and `""` change nothing. */
const changedList = <T>(list: z.ZodType<T[], unknown>, error: string) =>
  clearable(list, error).transform((items) => items || undefined);

const tagList = 'Send a list of ids of tags, such as [12, 15]. GET /api/v1/tag lists them.';
const changedTags = (verb: string) =>
  changedList(z.array(tagId).max(100), tagList).describe(`Ids of tags to ${verb}.`);

/** A Link that was read may be sent back as it is, with its tags as objects. */
const tagsSentBack = z
  .array(z.union([tagId, z.looseObject({ id: tagId }).transform((tag) => tag.id)]))
  .max(100);

const aliasTexts = z.array(text(2000).min(1)).max(100);
const aliasList = 'Send a list such as ["sprnig", "https://go.example.com/spring"].';
const aliasNotes = (description: string) => ({
  description: `${description} Each is a web address on one of your domains, or a suffix on the domain of the link.`,
  examples: [['sprnig']],
});

const allAliases = (description: string) => wholeList(aliasTexts, aliasList).meta(aliasNotes(description));

const changedAliases = (verb: string) =>
  changedList(aliasTexts, aliasList).meta(aliasNotes(`Aliases to ${verb}.`));

const manyLinks = ({ input }: { input?: unknown }) =>
  Array.isArray(input)
    ? 'This call makes one link: send a JSON object. Many are made by POST /api/v1/link/bulk, as {"links": […]}.'
    : undefined;

export const ExternalId = text(255).min(1).refine(canBeInPath, { error: dotsAlone });

export const LinkToCreate = z.strictObject(
  {
    destination_url: address(),
    domain: text(300).nullish().describe('A verified domain; default: the domain of the service.'),
    suffix: text(600).nullish().describe('Default: seven random characters.'),
    ...utmParameters,
    aliases: allAliases('Further addresses of the link, at most 20.'),
    ...settings,
    tags: wholeList(tagsSentBack, tagList).describe('Ids of tags to attach.'),
  },
  { error: manyLinks },
);

export const LinkUpdate = z.strictObject({
  destination_url: address().nullish(),
  ...utmParameters,
  ...settings,
  add_tags: changedTags('attach'),
  remove_tags: changedTags('detach'),
  domain: text(300).min(1).optional().describe('A verified domain, or that of the service. As for `suffix`.'),
  suffix: text(600)
    .min(1)
    .optional()
    .meta({
      description: 'The previous address of the link continues to work, as an alias.',
      examples: ['spring'],
    }),
  aliases: allAliases('They replace all aliases; `null` or `""` removes them all.'),
  add_aliases: changedAliases('add'),
  remove_aliases: changedAliases('remove'),
  tags: changedList(tagsSentBack, tagList).describe(
    'Can be sent back unchanged; add_tags and remove_tags change it.',
  ),
  has_password: z.boolean().optional().describe('Can be sent back: then `"password": null` changes nothing.'),
});

export const LinkList = component('LinkList', {
  links: z.array(Link),
  total_links: z.int(),
  next: nextField,
  partial: z
    .literal(true)
    .optional()
    .describe('Present if there are too many links to look for `q` in each of them: more may match.'),
});

export const maxPerPage = 1000;

export const idList = (max: number, words: string) =>
  z
    .string()
    .refine((value) => /^[1-9]\d{0,15}(,[1-9]\d{0,15})*$/.test(value) && value.split(',').length <= max, {
      error: `Give ${words}, separated by commas; at most ${max.toLocaleString('en')}.`,
    })
    .transform((value) => [...new Set(value.split(',').map(Number))]);

const filters = {
  q: text(200)
    .optional()
    .describe(
      'Part of a name, suffix, destination or notes, ignoring case. Among more than 50,000 links (after filtering by `tag` and `domain`), only of the newest 10,000; of the others those whose name, suffix or destination begins with it, at most 5,000 for each of these, or that have it as an alias.',
    ),
  tag: idList(10, 'ids of tags')
    .optional()
    .describe('Up to ten ids of tags, separated by commas; the links have all of them.'),
  domain: text(300).optional(),
  archived: queryFlagOr('any', '"archived" must be true, false or any.')
    .optional()
    .describe('true: only archived links; any: these too. Default: false, and any with `ids`.'),
  on_paper: queryFlag()
    .removeDefault()
    .optional()
    .describe('true: only links that are in print; false: only others.'),
  has_problem: queryFlag()
    .removeDefault()
    .optional()
    .describe('true: only links with `destination_problems`; false: only others.'),
};

export const LinkListQuery = z.object({
  ...pageParameters(maxPerPage),
  ...filters,
  before: queryNumber(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      "Only links with a lower id. With the highest id of the first page plus 1, pages don't shift while links are created.",
    ),
  sort: z.enum(linkOrders).default('-created_at'),
  daily: queryNumber(1, 31)
    .optional()
    .describe('Adds `daily_clicks` of that many UTC days to each link; `limit` is then at most 100.'),
});

export const LinkExportQuery = z.object({
  ...filters,
  ids: idList(maxPerPage, 'ids of links')
    .optional()
    .describe('Only these links: up to 1,000 ids, separated by commas.'),
});

/** For calls that delete or end a link. */
export const ConfirmationQuery = z.object({
  confirm: queryFlag().describe('true: even if a link is in print. Without it: 409 `LINK_ON_PAPER`.'),
});

export const LinkCreationQuery = z.object({
  disable_png: queryFlag().describe('true: only the SVG QR code is created, and qr_code_png is null.'),
  if_exists: z
    .enum(['return'], { error: '"if_exists" takes return: the link that leads there already.' })
    .optional()
    .describe(
      "return: if a link of the organization already leads to this destination, on this domain (and with this suffix, if one is sent), it is returned with 200, and nothing is created or changed. Links that are disabled, haven't started, have ended, or have rules, a password, a captcha or a destination for Android or iOS don't count.",
    ),
});
