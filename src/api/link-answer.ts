import type { z } from 'zod';
import type { Secrets } from '../auth/secrets.ts';
import { zapierKey } from '../auth/zapier-keys.ts';
import type { Context } from '../manage/context.ts';
import { aliasUrls } from '../manage/links/link-address.ts';
import { fieldsOf } from '../manage/links/link-fields.ts';
import type { LinkWithTags } from '../manage/links/prepared-link.ts';
import type { CountedTag as StoredCountedTag, StoredTag } from '../manage/tags.ts';
import { qrSvg } from '../qr/svg.ts';
import { readProblems } from '../rules/destinations/watched-destinations.ts';
import { formatIso, formatIsoOrNull, formatStamp } from '../rules/instant.ts';
import type { Site } from '../rules/site.ts';
import { Json } from './json.ts';
import { QrCodeCache } from './qr-code-cache.ts';
import type { Link } from './schemas/link.ts';
import type { CountedTag, Tag } from './schemas/tag.ts';

/** The path of destinations' icons; an icon's key follows it. */
export const iconPath = '/assets/icon/';

const tagAnswer = (tag: StoredTag): z.input<typeof Tag> => ({
  id: tag.id,
  created_at: formatStamp(tag.created_at),
  organization_id: tag.organization_id,
  name: tag.name,
});

export const countedTagAnswer = (tag: StoredCountedTag): z.input<typeof CountedTag> => ({
  ...tagAnswer(tag),
  links: tag.links,
});

/** A Link in the API's form, for its own organization only. */
export function linkAnswer({ link, tags }: LinkWithTags, { site, secrets }: Context): z.input<typeof Link> {
  const picture = pictureOf(link);
  return {
    id: link.id,
    created_at: formatStamp(link.created_at),
    updated_at: formatIso(link.updated_at),
    domain: site.domainUrl(link.host),
    suffix: link.suffix,
    aliases: aliasUrls(site, link),
    organization_id: link.organization_id,
    ...fieldsOf(link),
    clicks_left: clicksLeft(link),
    destination_problems: readProblems(link.destination_problems).map((problem) => ({
      ...problem,
      since: formatIso(problem.since),
    })),
    destination_title: link.page_title,
    destination_icon: link.page_icon === null ? null : `${site.origin}${iconPath}${link.page_icon}`,
    qr_code_svg: qrCodeOf(site.readableUrl(link.host, link.suffix), picture),
    qr_code_png: link.qr_png
      ? `${site.origin}${pngPath(secrets, picture, addressTag(secrets, site, link))}`
      : null,
    url: site.linkUrl(link.host, link.suffix),
    has_password: link.password_hash !== null,
    password: null,
    tags: tags.map(tagAnswer),
    webhook_auth_key: link.webhook_auth_key === null ? null : secrets.open(link.webhook_auth_key),
    zapier_key: zapierKey(secrets, link.id),
    zapier_webhook_url_new_click: link.zapier_hook_url,
    clicks: link.clicks ?? 0,
    last_clicked_at: formatIsoOrNull(link.last_clicked_at || null),
  };
}

const cachedJson = new WeakMap<LinkWithTags, Json<z.input<typeof Link>>>();

/** The same as JSON. Lists contain the same object for a link that hasn't changed, so it needn't be serialised again. */
export function linkJson(link: LinkWithTags, context: Context): Json<z.input<typeof Link>> {
  const cached = cachedJson.get(link);
  if (cached) return cached;
  const json = Json.of(linkAnswer(link, context));
  cachedJson.set(link, json);
  return json;
}

const clicksLeft = ({ click_limit, clicks_spent }: LinkWithTags['link']): number | null =>
  click_limit === null ? null : Math.max(0, click_limit - clicks_spent);

/** The text of a QR code: the url itself, or with the marker by which the redirect recognises a scan. */
export const scannedText = (url: string, hasMarker: boolean): string => (hasMarker ? `${url}?qr` : url);

/**
 * Characters, enough for some two thousand codes. Drawing one takes longer than the rest of a link's answer. With 8 million characters
 * memory peaked some 20 MB higher by hand, but not in the bench (docs/decisions/2026-11-22-memory-at-rest.md).
 */
const codes = new QrCodeCache(3 * 1024 * 1024);

function qrCodeOf(url: string, { linkId, foreground, background, hasMarker }: Picture): string {
  const text = scannedText(url, hasMarker);
  return codes.svg(linkId, `${foreground}${background}${text}`, () => qrSvg(text, foreground, background));
}

/** Everything that a picture depends on, besides the link's address. */
interface Picture {
  readonly linkId: number;
  readonly foreground: string;
  readonly background: string;
  readonly hasMarker: boolean;
}

const pictureOf = (link: LinkWithTags['link']): Picture => ({
  linkId: link.id,
  foreground: link.qr_foreground,
  background: link.qr_background,
  hasMarker: link.qr_marker === 1,
});

/**
 * The path of a PNG. Everything it shows is in the path, so that it may be cached permanently. The exception is a link whose address
 * has changed since: its PNG shows the new address, which leads to the same destination. The path is signed, so that links can't be
 * enumerated and no arbitrary drawing can be requested.
 */
function pngPath(
  secrets: Secrets,
  { linkId, foreground, background, hasMarker }: Picture,
  tag: string,
): string {
  const content = `${linkId}-${foreground.slice(1)}-${background.slice(1)}${hasMarker ? '-qr' : ''}${tag}`;
  return `/qr/${content}-${secrets.sign('qr', content, 16)}.png`;
}

/** Distinguishes the pictures of a link's successive addresses. */
const addressTag = (secrets: Secrets, site: Site, { moved, host, suffix }: LinkWithTags['link']): string =>
  moved === 1 ? `-at-${secrets.sign('qr', site.linkUrl(host, suffix), 8)}` : '';

/** Null for a path that `pngPath` didn't create. */
export function readPngPath(secrets: Secrets, path: string): Picture | null {
  const match =
    /^\/qr\/((\d{1,16})-([0-9a-f]{6})-([0-9a-f]{6})(-qr)?(?:-at-[\w-]{8})?)-([\w-]{16})\.png$/i.exec(path);
  if (!match) return null;
  const [, content = '', linkId, foreground, background, marker, signature = ''] = match;
  if (!secrets.verify('qr', content, signature)) return null;
  return {
    linkId: Number(linkId),
    foreground: `#${foreground}`,
    background: `#${background}`,
    hasMarker: marker !== undefined,
  };
}
