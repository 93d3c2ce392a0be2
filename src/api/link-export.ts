import type { Context } from '../manage/context.ts';
import type { LinkWithTags } from '../manage/prepared-link.ts';
import { eachLink } from '../manage/read-links.ts';
import { asUri } from '../rules/destination-text.ts';
import { formatIso } from '../rules/instant.ts';
import { csvLine, csvLines } from './clicks-csv.ts';
import { endpoint } from './endpoint.ts';
import { filterOf } from './links.ts';
import { LinkExportQuery } from './schemas/link.ts';

const columns = [
  'id',
  'url',
  'destination_url',
  'domain',
  'suffix',
  'name',
  'tags',
  'clicks',
  'last_clicked_at',
  'created_at',
  'updated_at',
  'expiration_date',
  'has_password',
  'android_link_destination',
  'ios_link_destination',
  'bot_protection',
  'captcha',
  'og_title',
  'og_description',
  'og_image',
  'qr_code_foreground_hex',
  'qr_code_background_hex',
  'qr_code_marker',
  'webhook_url',
] as const;

const instant = (at: number | null): string | null => (at === null ? null : formatIso(at));
const yesOrNo = (flag: number): string => (flag === 1 ? 'true' : 'false');

/** What a table can show of a link. Its secrets are not in it: a file goes further than an answer. */
function cells({ link, tags }: LinkWithTags, { site }: Context): readonly (string | number | null)[] {
  const shown: Record<(typeof columns)[number], string | number | null> = {
    id: link.id,
    url: site.linkUrl(link.host, link.suffix),
    destination_url: asUri(link.destination_url),
    domain: site.domainUrl(link.host),
    suffix: link.suffix,
    name: link.name,
    tags: tags.map((tag) => tag.name).join(', '),
    clicks: link.clicks ?? 0,
    last_clicked_at: instant(link.last_clicked_at),
    created_at: formatIso(link.created_at),
    updated_at: formatIso(link.updated_at),
    expiration_date: instant(link.expires_at),
    has_password: link.password_hash === null ? 'false' : 'true',
    android_link_destination: link.android_url && asUri(link.android_url),
    ios_link_destination: link.ios_url && asUri(link.ios_url),
    bot_protection: yesOrNo(link.bot_protection),
    captcha: yesOrNo(link.captcha),
    og_title: link.og_title,
    og_description: link.og_description,
    og_image: link.og_image,
    qr_code_foreground_hex: link.qr_foreground,
    qr_code_background_hex: link.qr_background,
    qr_code_marker: yesOrNo(link.qr_marker),
    webhook_url: link.webhook_url,
  };
  return columns.map((column) => shown[column]);
}

export const all = endpoint({
  summary: 'Export links',
  description:
    'CSV as RFC 4180 has it, newest first, with a line of names. A text that a spreadsheet would take for a formula has a quote in front. An export that breaks off was cut: its connection ends without the last piece.',
  credential: 'required',
  query: LinkExportQuery,
  statuses: { 200: 'All links that match.' },
  streams: 'text/csv',
  async handle({ caller, query }, context) {
    const links = eachLink(context, caller, { ...filterOf(query), ids: query.ids });
    // Read before the answer begins, so that a store that is away is still said so.
    const first = await links.next();
    return {
      status: 200,
      body: undefined,
      stream: {
        headers: {
          'content-type': 'text/csv; charset=utf-8; header=present',
          'content-disposition': 'attachment; filename="links.csv"',
        },
        chunks: () => linesOf(first.value ?? [], links, context),
      },
    };
  },
});

async function* linesOf(
  first: readonly LinkWithTags[],
  rest: AsyncGenerator<readonly LinkWithTags[], void, undefined>,
  context: Context,
) {
  const lines = (links: readonly LinkWithTags[]) => csvLines(links, (link) => cells(link, context));
  yield csvLine(columns) + (await lines(first));
  for await (const links of rest) yield await lines(links);
}
