import type { Caller } from '../../rules/access.ts';
import { sameColour } from '../../rules/colour.ts';
import { Refusal } from '../../rules/errors.ts';
import { type Alias, writeAliases } from '../../storage/links/link-addresses.ts';
import type { Context } from '../context.ts';
import { pageHost } from '../destinations/page-fetcher.ts';
import { FieldRefusals } from '../field-refusals.ts';
import {
  addressOn,
  chosenSuffix,
  distinctAliases,
  findLinkDomain,
  type LinkDomain,
  type RequestedAlias,
  refusedDomain,
  requestedAliases,
  requireSuffix,
} from './link-address.ts';
import { columnsOfNew, type LinkFields, providedColumns } from './link-fields.ts';
import type { PreparedLink } from './prepared-link.ts';

export interface LinkToCreate extends LinkFields {
  readonly destination_url: string;
  readonly domain?: string | null | undefined;
  readonly suffix?: string | null | undefined;
  readonly aliases?: readonly string[] | null | undefined;
  readonly tags?: readonly number[] | undefined;
}

/**
 * Converts the links of one call into rows that can be stored, or refuses them. Lookups that several links need are made once.
 * `marker` is the default of `qr_marker`; null: the organization's.
 */
export function linkPreparer(context: Context, caller: Caller, withPng: boolean) {
  const domainOf = memoize((domain: string) => findLinkDomain(context, caller, domain));
  const now = context.now();
  return async (input: LinkToCreate, marker: number | null = null): Promise<PreparedLink> => {
    const refusals = new FieldRefusals();
    const domain = domainOf(input.domain ?? '');
    const found = domain instanceof Promise ? await refusals.checkLater(() => domain) : domain;
    const linkDomain = found ?? refusedDomain;
    const chosen = refusals.check(() => chosenSuffix(input.suffix, linkDomain)) ?? null;
    const provided = await providedColumns(
      context,
      caller.organizationId,
      withoutEmptyMarker(input),
      refusals,
    );
    const suffix = chosen ?? context.randomSuffix();
    const requested = input.aliases?.length
      ? await requestedAliases(input.aliases, domainOf, 'aliases', refusals)
      : [];
    const aliases = refusals.check(() => newAliases(requested, linkDomain, suffix, refusals)) ?? [];
    const columns = columnsOfNew(provided, marker, now);
    refusals.check(() => refuseEqualColours(columns, input));
    refusals.check(() => refuseEndBeforeStart(columns, input));
    refusals.throwIfAny();
    const row = {
      ...columns,
      zapier_hook_url: null,
      zapier_hook_id: 0,
      created_at: now,
      updated_at: now,
      organization_id: caller.organizationId,
      domain_id: linkDomain.domainId,
      aliases: writeAliases(aliases),
      moved: 0,
      qr_png: withPng ? 1 : 0,
      created_by: caller.userId,
      created_key: caller.keyId ?? null,
      created_via: caller.via,
      page_title: null,
      page_icon: null,
      page_due_at: null,
    };
    return {
      suffix,
      isChosen: chosen !== null,
      host: linkDomain.host,
      tagIds: input.tags?.length ? [...new Set(input.tags)] : [],
      // An import creates many links, and few of them are ever viewed.
      pageHost: caller.via === 'import' ? null : pageHost(context, row.destination_url),
      row,
    };
  };
}

/** Without a marker of its own, null and "" included, a new link gets the organization's default. */
const withoutEmptyMarker = (input: LinkToCreate): LinkToCreate =>
  input.qr_code_marker === null || input.qr_code_marker === ''
    ? { ...input, qr_code_marker: undefined }
    : input;

function newAliases(
  requested: readonly RequestedAlias[],
  domain: LinkDomain,
  suffix: string,
  refusals: FieldRefusals,
): Alias[] {
  if (requested.length === 0) return [];
  const aliases = distinctAliases(
    requested.map((alias) => addressOn(domain, alias)),
    { domain_id: domain.domainId, suffix },
  );
  for (const alias of aliases) refusals.check(() => requireSuffix(alias.suffix, alias.domain_id, 'aliases'));
  return aliases;
}

/** Calls `load` once per key. Returns the value itself instead of a promise once it is known. */
function memoize<T>(load: (key: string) => Promise<T>): (key: string) => T | Promise<T> {
  const results = new Map<string, T | Promise<T>>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const pending = load(key).then((found) => {
      results.set(key, found);
      return found;
    });
    results.set(key, pending);
    return pending;
  };
}

export function refuseEqualColours(
  colours: { readonly qr_foreground: string; readonly qr_background: string },
  input: LinkFields,
): void {
  if (!sameColour(colours.qr_foreground, colours.qr_background)) return;
  const field = input.qr_code_foreground_hex ? 'qr_code_foreground_hex' : 'qr_code_background_hex';
  throw new Refusal(
    'COLOURS_EQUAL',
    'The two colours of a QR code must differ, or nothing can be read in it.',
    { field },
  );
}

/** A link that would end before it starts could never redirect. */
export function refuseEndBeforeStart(
  { start_at, expires_at }: { readonly start_at: number | null; readonly expires_at: number | null },
  input: LinkFields,
): void {
  if (start_at === null || expires_at === null || start_at < expires_at) return;
  throw new Refusal(
    'RANGE_REVERSED',
    'This link would end before it starts. Let it expire after its start, or clear one of the two dates.',
    { field: input.start_date ? 'start_date' : 'expiration_date' },
  );
}
