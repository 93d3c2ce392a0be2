import { knownPriority } from '../../auth/passwords.ts';
import { defaultColours, isColour } from '../../rules/colour.ts';
import { parseDestination } from '../../rules/destinations/destination.ts';
import { destinationKey } from '../../rules/destinations/destination-key.ts';
import { asUri } from '../../rules/destinations/destination-text.ts';
import { isQueryForwarding, isRedirectStatus } from '../../rules/destinations/forwarding.ts';
import { hasUtmChanges, type UtmChanges } from '../../rules/destinations/utm.ts';
import { invalidField, Refusal } from '../../rules/errors.ts';
import { formatIsoOrNull, parseInstant } from '../../rules/instant.ts';
import { isBrokenKey } from '../../rules/signing-key.ts';
import { readEvents, type WebhookEvent, writeEvents } from '../../rules/webhook-event.ts';
import type { AnsweredLink, LinkChanges, StoredLink } from '../../storage/links/links.ts';
import type { Context } from '../context.ts';
import {
  destinationIn,
  destinationIsOurs,
  type FoundDestination,
  withUtmOf,
} from '../destinations/require-destination.ts';
import type { FieldRefusals } from '../field-refusals.ts';
import { requireTarget } from '../webhooks/webhook-target.ts';
import { checkRules, type RuleInput, rulesOf } from './link-rules.ts';

/** Fields that are never answered as they were sent. */
type SecretField = 'password' | 'webhook_auth_key';

interface FieldValues extends Omit<ReturnType<typeof fieldsOf>, 'rules'>, Record<SecretField, string> {
  /** Without ids, new ones are made. */
  readonly rules: readonly RuleInput[];
}

/** The fields that creation and update share: those of a Link, and its secrets. Absent: unchanged. Null or "": cleared. */
export type LinkFields = UtmChanges & {
  readonly [Field in keyof FieldValues]?: FieldValues[Field] | '' | null | undefined;
};

type AddressField = 'android_link_destination' | 'ios_link_destination' | 'before_start_url' | 'expired_url';

type ColourField = 'qr_code_foreground_hex' | 'qr_code_background_hex';

/** Columns in their stored form; undefined if the call has no such field. */
type ProvidedColumns = { readonly [Column in keyof LinkChanges]: LinkChanges[Column] | undefined };

/** Columns for the fields of a call, validated and in their stored form, except for those that are refused. */
export async function columnsOf(
  context: Context,
  organizationId: number,
  fields: LinkFields,
  refusals: FieldRefusals,
): Promise<LinkChanges> {
  return withoutAbsent(await providedColumns(context, organizationId, fields, refusals));
}

/** Awaits only actual promises: a call may make a thousand links. */
export async function providedColumns(
  context: Context,
  organizationId: number,
  fields: LinkFields,
  refusals: FieldRefusals,
): Promise<ProvidedColumns> {
  const destination = refusals.check(() =>
    required(fields.destination_url, destinationIn(context, 'destination_url')),
  );
  const destination_url = destination && refusals.check(() => withUtmOf(destination.text, fields));
  const { password } = fields;
  const clearable = <T>(
    value: string | null | undefined,
    accept: (value: string) => T,
  ): T | null | undefined =>
    value ? refusals.check(() => accept(value)) : value === undefined ? undefined : null;
  const colourIn = (field: ColourField, byDefault: string) => {
    const colour = fields[field];
    if (colour) refusals.check(() => requireColour(colour, field));
    return colour === undefined ? undefined : colour || byDefault;
  };
  const addressIn = (field: AddressField) => clearable(fields[field], destinationIn(context, field));
  const android = addressIn('android_link_destination');
  const ios = addressIn('ios_link_destination');
  const beforeStart = addressIn('before_start_url');
  const expired = addressIn('expired_url');
  const rules = fields.rules === undefined ? undefined : checkRules(context, fields.rules || [], refusals);
  const ruleDestinations = rules?.destinations ?? [];
  for (const found of [destination, android, ios, beforeStart, expired, ...ruleDestinations]) {
    if (!found) continue;
    const isOurs = context.isOurHost(found.host);
    if (typeof isOurs === 'boolean' ? isOurs : await isOurs) refusals.add(destinationIsOurs(found.field));
  }
  const columns = {
    destination_url,
    destination_key: destination_url === undefined ? undefined : destinationKey(destination_url),
    android_url: textOf(android),
    ios_url: textOf(ios),
    og_title: clearable(fields.og_title, (text) => text),
    og_description: clearable(fields.og_description, (text) => text),
    og_image: clearable(fields.og_image, (url) => webAddress(url, 'og_image')),
    start_at: clearable(fields.start_date, (text) => instant(text, 'start_date')),
    before_start_url: textOf(beforeStart),
    expires_at: clearable(fields.expiration_date, (text) => instant(text, 'expiration_date')),
    expired_url: textOf(expired),
    click_limit: orNull(fields.click_limit),
    rules: rules?.text,
    forward_query: orNull(fields.forward_query),
    forward_path: flag(fields.forward_path),
    // Stored as null, like one that was never sent: otherwise a link that is sent back as it was read would be changed.
    redirect_status: orNull(fields.redirect_status === 302 ? null : fields.redirect_status),
    qr_foreground: colourIn('qr_code_foreground_hex', defaultColours.foreground),
    qr_background: colourIn('qr_code_background_hex', defaultColours.background),
    qr_marker: flag(fields.qr_code_marker),
    bot_protection: flag(fields.bot_protection),
    captcha: flag(fields.captcha),
    name: clearable(fields.name, (text) => text),
    notes: clearable(fields.notes, (text) => text),
    external_id: clearable(fields.external_id, (text) => text),
    disabled: flag(fields.disabled),
    archived: flag(fields.archived),
    on_paper: flag(fields.on_paper),
    statistics: unlessFalse(fields.statistics),
    watch_destination: flagOrNull(fields.watch_destination),
    webhook_url: clearable(fields.webhook_url, (url) =>
      requireTarget(context, webAddress(url, 'webhook_url'), 'webhook_url'),
    ),
    webhook_auth_key: clearable(fields.webhook_auth_key, (key) => context.secrets.seal(signingKey(key))),
    webhook_events:
      fields.webhook_events === undefined ? undefined : writeEvents(fields.webhook_events || defaultEvents),
  };
  // Hashing is slow: not for a call that is refused.
  const password_hash =
    password && refusals.areNone
      ? await context.passwords.hash(password, knownPriority(`organization ${organizationId}`))
      : password === undefined
        ? undefined
        : null;
  return { ...columns, password_hash };
}

/** The columns of a new link: defaults where the call has no field. `marker` null: the organization's. */
export const columnsOfNew = (provided: ProvidedColumns, marker: number | null, now: number) => ({
  destination_url: provided.destination_url ?? '',
  destination_key: provided.destination_key ?? null,
  android_url: provided.android_url ?? null,
  ios_url: provided.ios_url ?? null,
  og_title: provided.og_title ?? null,
  og_description: provided.og_description ?? null,
  og_image: provided.og_image ?? null,
  start_at: provided.start_at ?? null,
  before_start_url: provided.before_start_url ?? null,
  expires_at: provided.expires_at ?? null,
  expired_url: provided.expired_url ?? null,
  click_limit: provided.click_limit ?? null,
  clicks_spent: 0,
  rules: provided.rules ?? null,
  forward_query: provided.forward_query ?? null,
  forward_path: provided.forward_path ?? 0,
  redirect_status: provided.redirect_status ?? null,
  qr_foreground: provided.qr_foreground ?? defaultColours.foreground,
  qr_background: provided.qr_background ?? defaultColours.background,
  qr_marker: provided.qr_marker ?? marker,
  password_hash: provided.password_hash ?? null,
  bot_protection: provided.bot_protection ?? 0,
  captcha: provided.captcha ?? 0,
  name: provided.name ?? null,
  notes: provided.notes ?? null,
  external_id: provided.external_id ?? null,
  disabled: provided.disabled ?? 0,
  archived: provided.archived ?? 0,
  on_paper: provided.on_paper ?? 0,
  statistics: provided.statistics ?? 1,
  watch_destination: provided.watch_destination ?? null,
  destination_problems: null,
  webhook_url: provided.webhook_url ?? null,
  webhook_auth_key: provided.webhook_auth_key ?? null,
  webhook_events: provided.webhook_events ?? 'click',
  // A link that has ended from the beginning, such as an imported one, never expires.
  expiry_event_at: provided.expires_at && provided.expires_at > now ? provided.expires_at : null,
});

/** The UTM parameters of a call without a destination: they are set on the existing one. */
export function utmColumns(link: Pick<StoredLink, 'destination_url'>, fields: LinkFields): LinkChanges {
  if (fields.destination_url !== undefined || !hasUtmChanges(fields)) return {};
  const destination_url = withUtmOf(link.destination_url, fields);
  return { destination_url, destination_key: destinationKey(destination_url) };
}

/** The reverse of `columnsOf`: what a call would send to give a link its current settings, except secrets. */
export const fieldsOf = (link: AnsweredLink) => ({
  destination_url: asUri(link.destination_url),
  android_link_destination: link.android_url && asUri(link.android_url),
  ios_link_destination: link.ios_url && asUri(link.ios_url),
  og_title: link.og_title,
  og_description: link.og_description,
  og_image: link.og_image,
  start_date: formatIsoOrNull(link.start_at),
  before_start_url: link.before_start_url && asUri(link.before_start_url),
  expiration_date: formatIsoOrNull(link.expires_at),
  expired_url: link.expired_url && asUri(link.expired_url),
  click_limit: link.click_limit,
  rules: rulesOf(link.rules),
  forward_query: isQueryForwarding(link.forward_query) ? link.forward_query : null,
  forward_path: link.forward_path === 1,
  redirect_status: isRedirectStatus(link.redirect_status) ? link.redirect_status : 302,
  qr_code_foreground_hex: link.qr_foreground,
  qr_code_background_hex: link.qr_background,
  qr_code_marker: link.qr_marker === 1,
  bot_protection: link.bot_protection === 1,
  captcha: link.captcha === 1,
  name: link.name,
  notes: link.notes,
  external_id: link.external_id,
  disabled: link.disabled === 1,
  archived: link.archived === 1,
  on_paper: link.on_paper === 1,
  statistics: link.statistics === 1,
  watch_destination: link.watch_destination === null ? null : link.watch_destination === 1,
  webhook_url: link.webhook_url,
  webhook_events: readEvents(link.webhook_events),
});

const defaultEvents: readonly WebhookEvent[] = ['click'];

const withoutAbsent = (columns: ProvidedColumns): LinkChanges =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));

function required<T>(url: string | null | undefined, accept: (url: string) => T): T | undefined {
  if (url === undefined) return undefined;
  if (url === null || url.trim() === '') {
    throw new Refusal('FIELD_MISSING', 'A link needs somewhere to lead: give a web address.', {
      field: 'destination_url',
    });
  }
  return accept(url);
}

const orNull = <T>(value: T | '' | null | undefined): Exclude<T, ''> | null | undefined =>
  value === undefined ? undefined : ((value || null) as Exclude<T, ''> | null);

const flag = (value: boolean | '' | null | undefined): number | undefined =>
  value === undefined ? undefined : value ? 1 : 0;

/** A flag that is set unless a call sends false. */
const unlessFalse = (value: boolean | '' | null | undefined): number | undefined =>
  value === undefined ? undefined : value === false ? 0 : 1;
const flagOrNull = (value: boolean | '' | null | undefined): number | null | undefined =>
  value === null || value === '' ? null : flag(value);

function instant(text: string, field: string): number {
  const parsed = parseInstant(text);
  if (parsed === null) {
    throw invalidField(field, 'Give a date such as 2030-12-31 or 2030-12-31T18:00:00Z.');
  }
  return parsed;
}

function requireColour(text: string, field: ColourField): void {
  if (isColour(text)) return;
  throw invalidField(field, 'Give a colour as # and six hex digits, such as #1A2B3C.');
}

const webAddress = (text: string, field: string): string => parseDestination(text, field).url.href;

function signingKey(key: string): string {
  if (!isBrokenKey(key)) return key;
  throw invalidField(
    'webhook_auth_key',
    'A key that begins with "whsec_" continues in base64, and this one does not. Copy the whole key, or use one that begins differently.',
  );
}

const textOf = (found: FoundDestination | null | undefined): string | null | undefined =>
  found ? found.text : found;
