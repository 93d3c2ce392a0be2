import { aliasUrls } from '../manage/links/link-address.ts';
import { rulesOf } from '../manage/links/link-rules.ts';
import type { LinkWithTags } from '../manage/links/prepared-link.ts';
import { eachLink } from '../manage/links/read-links.ts';
import { asUri } from '../rules/destinations/destination-text.ts';
import { readProblems } from '../rules/destinations/watched-destinations.ts';
import { formatIso, formatIsoOrNull } from '../rules/instant.ts';
import type { Site } from '../rules/site.ts';
import { tagList } from '../rules/tag-list.ts';
import { csvOutline, csvReply } from './csv-export.ts';
import { endpoint } from './endpoint.ts';
import { LinkExportQuery } from './schemas/link.ts';

const booleanText = (value: boolean): string => (value ? 'true' : 'false');

type CellOf = (found: LinkWithTags, site: Site) => string | number | null;

/**
 * A link's columns in a table; new ones are added at the end. Without its secrets: a file is passed around more than an answer.
 */
const columns: Readonly<Record<string, CellOf>> = {
  id: ({ link }) => link.id,
  url: ({ link }, site) => site.linkUrl(link.host, link.suffix),
  destination_url: ({ link }) => asUri(link.destination_url),
  domain: ({ link }, site) => site.domainUrl(link.host),
  suffix: ({ link }) => link.suffix,
  name: ({ link }) => link.name,
  tags: ({ tags }) => tagList(tags.map((tag) => tag.name)),
  clicks: ({ link }) => link.clicks ?? 0,
  last_clicked_at: ({ link }) => formatIsoOrNull(link.last_clicked_at || null),
  created_at: ({ link }) => formatIso(link.created_at),
  updated_at: ({ link }) => formatIso(link.updated_at),
  expiration_date: ({ link }) => formatIsoOrNull(link.expires_at),
  has_password: ({ link }) => booleanText(link.password_hash !== null),
  android_link_destination: ({ link }) => link.android_url && asUri(link.android_url),
  ios_link_destination: ({ link }) => link.ios_url && asUri(link.ios_url),
  bot_protection: ({ link }) => booleanText(link.bot_protection === 1),
  captcha: ({ link }) => booleanText(link.captcha === 1),
  og_title: ({ link }) => link.og_title,
  og_description: ({ link }) => link.og_description,
  og_image: ({ link }) => link.og_image,
  qr_code_foreground_hex: ({ link }) => link.qr_foreground,
  qr_code_background_hex: ({ link }) => link.qr_background,
  qr_code_marker: ({ link }) => booleanText(link.qr_marker === 1),
  webhook_url: ({ link }) => link.webhook_url,
  // An empty cell would become the default in an import.
  webhook_events: ({ link }) => link.webhook_events.replaceAll(',', ', ') || 'none',
  notes: ({ link }) => link.notes,
  disabled: ({ link }) => booleanText(link.disabled === 1),
  archived: ({ link }) => booleanText(link.archived === 1),
  on_paper: ({ link }) => booleanText(link.on_paper === 1),
  start_date: ({ link }) => formatIsoOrNull(link.start_at),
  before_start_url: ({ link }) => link.before_start_url && asUri(link.before_start_url),
  expired_url: ({ link }) => link.expired_url && asUri(link.expired_url),
  forward_query: ({ link }) => link.forward_query,
  forward_path: ({ link }) => booleanText(link.forward_path === 1),
  redirect_status: ({ link }) => link.redirect_status,
  rules: ({ link }) => link.rules && JSON.stringify(rulesOf(link.rules)),
  external_id: ({ link }) => link.external_id,
  click_limit: ({ link }) => link.click_limit,
  statistics: ({ link }) => booleanText(link.statistics === 1),
  watch_destination: ({ link }) =>
    link.watch_destination === null ? null : booleanText(link.watch_destination === 1),
  destination_problems: ({ link }) =>
    readProblems(link.destination_problems)
      .map(({ problem, url }) => `${problem}: ${url}`)
      .join(', '),
  aliases: ({ link }, site) => aliasUrls(site, link).join(' '),
  destination_title: ({ link }) => link.page_title,
};

export const linkColumns: readonly string[] = Object.keys(columns);

export const all = endpoint({
  ...csvOutline,
  summary: 'Export links',
  query: LinkExportQuery,
  statuses: { 200: 'All links that match.' },
  handle: ({ caller, query }, context) =>
    csvReply({
      file: 'links.csv',
      columns: linkColumns,
      batches: eachLink(context, caller, query),
      cellsOf: (found) => Object.values(columns).map((cellOf) => cellOf(found, context.site)),
    }),
});
