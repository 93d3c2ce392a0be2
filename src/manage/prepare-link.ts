import type { Caller } from '../rules/access.ts';
import { defaultColours, sameColour } from '../rules/colour.ts';
import { Refusal } from '../rules/errors.ts';
import { normaliseHostname } from '../rules/host.ts';
import { checkSuffix, normaliseSuffix } from '../rules/suffix.ts';
import { findVerifiedDomain } from '../storage/domains.ts';
import { defaultDomainId } from '../storage/schema.ts';
import type { Context } from './context.ts';
import { asksForDomains, type LinkFields, providedColumns } from './link-fields.ts';
import type { PreparedLink } from './prepared-link.ts';

export interface LinkToCreate extends LinkFields {
  readonly destination_url: string;
  readonly domain?: string | null | undefined;
  readonly suffix?: string | null | undefined;
  readonly tags?: readonly number[] | undefined;
}

interface Place {
  readonly domainId: number;
  readonly host: string | null;
}

/**
 * Turns wishes of one call into what can be stored, or refuses them. What the call asks the store more than once is
 * asked once. `marker` is for a link whose maker said nothing of it; null: what its organization chose.
 */
export function linkPreparer(context: Context, caller: Caller, withPng: boolean) {
  const isOurDomain = memoize(asksForDomains(context));
  const placeOf = memoize((domain: string) => placeFor(context, caller, domain));
  const now = context.now();
  return async (input: LinkToCreate, marker: number | null = null): Promise<PreparedLink> => {
    const asked = placeOf(input.domain ?? '');
    const place = asked instanceof Promise ? await asked : asked;
    const chosen = chosenSuffix(input.suffix, place);
    const spoken = await providedColumns(context, input, isOurDomain);
    const row = {
      destination_url: spoken.destination_url ?? '',
      android_url: spoken.android_url ?? null,
      ios_url: spoken.ios_url ?? null,
      og_title: spoken.og_title ?? null,
      og_description: spoken.og_description ?? null,
      og_image: spoken.og_image ?? null,
      expires_at: spoken.expires_at ?? null,
      qr_foreground: spoken.qr_foreground ?? defaultColours.foreground,
      qr_background: spoken.qr_background ?? defaultColours.background,
      qr_marker: spoken.qr_marker ?? marker,
      password_hash: spoken.password_hash ?? null,
      bot_protection: spoken.bot_protection ?? 0,
      captcha: spoken.captcha ?? 0,
      name: spoken.name ?? null,
      webhook_url: spoken.webhook_url ?? null,
      webhook_auth_key: spoken.webhook_auth_key ?? null,
      webhook_events: spoken.webhook_events ?? 'click',
      zapier_hook_url: null,
      zapier_hook_id: 0,
      expiry_event_at: spoken.expires_at ?? null,
      created_at: now,
      updated_at: now,
      organization_id: caller.organizationId,
      domain_id: place.domainId,
      qr_png: withPng ? 1 : 0,
    };
    refuseEqualColours(row, input);
    return {
      suffix: chosen ?? context.randomSuffix(),
      isChosen: chosen !== null,
      host: place.host,
      tagIds: input.tags?.length ? [...new Set(input.tags)] : [],
      row,
    };
  };
}

/** Asked once; the answer is at hand once it is there. */
function memoize<T>(ask: (key: string) => Promise<T>): (key: string) => T | Promise<T> {
  const known = new Map<string, T | Promise<T>>();
  return (key) => {
    const answer = known.get(key);
    if (answer !== undefined) return answer;
    const asked = ask(key).then((found) => {
      known.set(key, found);
      return found;
    });
    known.set(key, asked);
    return asked;
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

async function placeFor(context: Context, caller: Caller, domain: string): Promise<Place> {
  if (domain === '') return { domainId: defaultDomainId, host: null };
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
