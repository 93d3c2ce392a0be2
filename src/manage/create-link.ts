import type { Caller } from '../rules/access.ts';
import { defaultColours, sameColour } from '../rules/colour.ts';
import { Refusal } from '../rules/errors.ts';
import { normaliseHostname } from '../rules/host.ts';
import { checkSuffix, normaliseSuffix, randomSuffix } from '../rules/suffix.ts';
import { recordChange } from '../storage/changes.ts';
import { findVerifiedDomain } from '../storage/domains.ts';
import { addToLinkCount } from '../storage/link-counts.ts';
import { attachTags } from '../storage/link-tags.ts';
import { insertLink, type NewLink, type StoredLink, searchText } from '../storage/links.ts';
import { findOrganization } from '../storage/organizations.ts';
import { defaultDomainId, type Queries } from '../storage/schema.ts';
import type { StoredTag } from '../storage/tags.ts';
import type { Context } from './context.ts';
import { columnsOf, type LinkFields } from './link-fields.ts';
import { requireTags } from './link-tags.ts';

export interface LinkToCreate extends LinkFields {
  readonly destination_url: string;
  readonly domain?: string | null | undefined;
  readonly suffix?: string | null | undefined;
  readonly tags?: readonly number[] | undefined;
}

export interface LinkWithTags {
  readonly link: StoredLink;
  readonly tags: readonly StoredTag[];
}

interface Place {
  readonly domainId: number;
  readonly host: string | null;
}

/** Seven random characters hardly ever collide; when many in a row do, something else is wrong. */
const mostDraws = 10;

export async function createLink(
  context: Context,
  caller: Caller,
  wish: LinkToCreate,
  withPng: boolean,
): Promise<LinkWithTags> {
  const place = await placeFor(context, caller, wish.domain);
  const suffix = chosenSuffix(wish.suffix, place);
  const now = context.now();
  const columns = await columnsOf(context, wish);
  const row = {
    qr_foreground: defaultColours.foreground,
    qr_background: defaultColours.background,
    bot_protection: 0,
    captcha: 0,
    destination_url: '',
    ...columns,
    expiry_event_at: columns.expires_at ?? null,
    created_at: now,
    updated_at: now,
    organization_id: caller.organizationId,
    domain_id: place.domainId,
    qr_png: withPng ? 1 : 0,
  };
  refuseEqualColours(row, wish);
  const made = await context.database.write(async (queries) => {
    const tags = await requireTags(queries, caller.organizationId, wish.tags ?? [], 'tags');
    const link = await insertSomewhere(
      context,
      queries,
      { qr_marker: await markerOf(queries, caller), ...row },
      suffix,
    );
    await attachTags(
      queries,
      link.id,
      tags.map((tag) => tag.id),
    );
    await addToLinkCount(queries, caller.organizationId, link.id, 1);
    await recordChange(queries, link, now);
    return { link: { ...link, host: place.host, clicks: null, last_clicked_at: null }, tags };
  });
  context.linkChanged(made.link.domain_id, made.link.suffix);
  return made;
}

export function refuseEqualColours(
  colours: { readonly qr_foreground: string; readonly qr_background: string },
  wish: LinkFields,
): void {
  if (!sameColour(colours.qr_foreground, colours.qr_background)) return;
  const field = wish.qr_code_foreground_hex ? 'qr_code_foreground_hex' : 'qr_code_background_hex';
  throw new Refusal(
    'COLOURS_EQUAL',
    'The two colours of a QR code must differ, or nothing can be read in it.',
    { field },
  );
}

/** What the organization chose, for links that don't say. */
async function markerOf(queries: Queries, { organizationId }: Caller): Promise<number> {
  return (await findOrganization(queries, organizationId))?.qr_marker ?? 0;
}

async function placeFor(context: Context, caller: Caller, domain: string | null | undefined): Promise<Place> {
  if (!domain) return { domainId: defaultDomainId, host: null };
  // Answers carry a scheme in front, and what was read may be sent back.
  const url = URL.parse(/^https?:\/\//i.test(domain) ? domain : `https://${domain}`);
  const host = url && url.pathname === '/' ? normaliseHostname(url.hostname) : '';
  if (host !== '' && context.site.isDefaultHost(host)) return { domainId: defaultDomainId, host: null };
  const verified = host === '' ? undefined : await findVerifiedDomain(context.database.lookup, host);
  if (verified?.organization_id !== caller.organizationId) {
    throw new Refusal(
      'DOMAIN_UNVERIFIED',
      `"${domain}" is not a verified domain of your organization. Verify it first, or leave the field out for ${context.site.defaultHost}.`,
      { field: 'domain' },
    );
  }
  return { domainId: verified.id, host: verified.host };
}

function chosenSuffix(suffix: string | null | undefined, place: Place): string | null {
  if (!suffix) return null;
  const chosen = normaliseSuffix(suffix);
  const problem = checkSuffix(chosen, place.domainId === defaultDomainId);
  if (problem) throw new Refusal(problem.code, problem.sentence, { field: 'suffix' });
  return chosen;
}

/** Under the suffix that was asked for, or under the first random one that is free. */
async function insertSomewhere(
  context: Context,
  queries: Queries,
  row: Omit<NewLink, 'suffix' | 'search_text'>,
  chosen: string | null,
) {
  for (let draw = 1; draw <= mostDraws; draw++) {
    const suffix = chosen ?? randomSuffix(context.randomBytes);
    const link = await insertLink(queries, { ...row, suffix, search_text: searchText({ ...row, suffix }) });
    if (link) return link;
    if (chosen !== null) {
      throw new Refusal('SUFFIX_TAKEN', `"${chosen}" is taken on this domain. Choose another suffix.`, {
        field: 'suffix',
      });
    }
  }
  throw new Error(`${mostDraws} random suffixes in a row were taken`);
}
