import { defaultColours } from '../rules/colour.ts';
import { Refusal } from '../rules/errors.ts';
import { parseInstant } from '../rules/instant.ts';
import { isBrokenKey } from '../rules/signing-key.ts';
import { type WebhookEvent, writeEvents } from '../rules/webhook-event.ts';
import { findVerifiedDomain } from '../storage/domains.ts';
import type { LinkChanges } from '../storage/links.ts';
import type { Context } from './context.ts';
import { destinationIsOurs, requireDestination } from './require-destination.ts';
import { requireTarget } from './webhook-target.ts';

/** The fields that creation and update share. Absent: unchanged. Null or "": cleared. */
export interface LinkFields {
  readonly destination_url?: string | null | undefined;
  readonly android_link_destination?: string | null | undefined;
  readonly ios_link_destination?: string | null | undefined;
  readonly og_title?: string | null | undefined;
  readonly og_description?: string | null | undefined;
  readonly og_image?: string | null | undefined;
  readonly expiration_date?: string | null | undefined;
  readonly qr_code_foreground_hex?: string | null | undefined;
  readonly qr_code_background_hex?: string | null | undefined;
  readonly password?: string | null | undefined;
  readonly qr_code_marker?: boolean | '' | null | undefined;
  readonly bot_protection?: boolean | '' | null | undefined;
  readonly captcha?: boolean | '' | null | undefined;
  readonly name?: string | null | undefined;
  readonly webhook_url?: string | null | undefined;
  readonly webhook_auth_key?: string | null | undefined;
  readonly webhook_events?: readonly WebhookEvent[] | '' | null | undefined;
}

/** Whether a host is a short domain of this service, besides its own. A promise where the store has to be asked. */
type IsOurDomain = (host: string) => boolean | Promise<boolean>;

export const asksForDomains =
  ({ database }: Pick<Context, 'database'>) =>
  async (host: string): Promise<boolean> =>
    (await findVerifiedDomain(database.lookup, host)) !== undefined;

/** Columns in their stored form; undefined where the call has no such field. */
type ProvidedColumns = { readonly [Column in keyof LinkChanges]: LinkChanges[Column] | undefined };

/** Columns for the fields of a call, checked and in their stored form. */
export async function columnsOf(context: Context, fields: LinkFields): Promise<LinkChanges> {
  return withoutAbsent(await providedColumns(context, fields, asksForDomains(context)));
}

/** Awaits only what takes a promise: a call may make a thousand links. */
export async function providedColumns(
  context: Context,
  fields: LinkFields,
  isOurDomain: IsOurDomain,
): Promise<ProvidedColumns> {
  const destination = required(fields.destination_url, destinationIn(context, 'destination_url'));
  const android = clearable(
    fields.android_link_destination,
    destinationIn(context, 'android_link_destination'),
  );
  const ios = clearable(fields.ios_link_destination, destinationIn(context, 'ios_link_destination'));
  for (const found of [destination, android, ios]) {
    if (!found) continue;
    const isOurs = isOurDomain(found.host);
    if (typeof isOurs === 'boolean' ? isOurs : await isOurs) throw destinationIsOurs(found.field);
  }
  const password_hash = clearable(fields.password, (password) => context.passwords.hash(password));
  return {
    destination_url: destination?.text,
    android_url: textOf(android),
    ios_url: textOf(ios),
    og_title: clearable(fields.og_title, (text) => text),
    og_description: clearable(fields.og_description, (text) => text),
    og_image: clearable(fields.og_image, (url) => webAddress(url, 'og_image')),
    expires_at: clearable(fields.expiration_date, instant),
    qr_foreground: orDefault(fields.qr_code_foreground_hex, defaultColours.foreground),
    qr_background: orDefault(fields.qr_code_background_hex, defaultColours.background),
    qr_marker: flag(fields.qr_code_marker),
    bot_protection: flag(fields.bot_protection),
    captcha: flag(fields.captcha),
    name: clearable(fields.name, (text) => text),
    webhook_url: clearable(fields.webhook_url, (url) =>
      requireTarget(context, webAddress(url, 'webhook_url'), 'webhook_url'),
    ),
    webhook_auth_key: clearable(fields.webhook_auth_key, (key) => context.secrets.seal(signingKey(key))),
    webhook_events:
      fields.webhook_events === undefined ? undefined : writeEvents(fields.webhook_events || defaultEvents),
    password_hash: password_hash && (await password_hash),
  };
}

/** The columns of a new link: defaults for those that the call has no field of. `marker` null: the organization's. */
export const columnsOfNew = (provided: ProvidedColumns, marker: number | null) => ({
  destination_url: provided.destination_url ?? '',
  android_url: provided.android_url ?? null,
  ios_url: provided.ios_url ?? null,
  og_title: provided.og_title ?? null,
  og_description: provided.og_description ?? null,
  og_image: provided.og_image ?? null,
  expires_at: provided.expires_at ?? null,
  qr_foreground: provided.qr_foreground ?? defaultColours.foreground,
  qr_background: provided.qr_background ?? defaultColours.background,
  qr_marker: provided.qr_marker ?? marker,
  password_hash: provided.password_hash ?? null,
  bot_protection: provided.bot_protection ?? 0,
  captcha: provided.captcha ?? 0,
  name: provided.name ?? null,
  webhook_url: provided.webhook_url ?? null,
  webhook_auth_key: provided.webhook_auth_key ?? null,
  webhook_events: provided.webhook_events ?? 'click',
  expiry_event_at: provided.expires_at ?? null,
});

const defaultEvents: readonly WebhookEvent[] = ['click'];

const withoutAbsent = (columns: ProvidedColumns): LinkChanges =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));

function clearable<T>(value: string | null | undefined, accept: (value: string) => T): T | null | undefined {
  if (value === undefined) return undefined;
  return value === null || value === '' ? null : accept(value);
}

function required<T>(url: string | null | undefined, accept: (url: string) => T): T | undefined {
  if (url === undefined) return undefined;
  if (url === null || url.trim() === '') {
    throw new Refusal('FIELD_MISSING', 'A link needs somewhere to lead: give a web address.', {
      field: 'destination_url',
    });
  }
  return accept(url);
}

const orDefault = (value: string | null | undefined, byDefault: string): string | undefined =>
  value === undefined ? undefined : value || byDefault;

const flag = (value: boolean | '' | null | undefined): number | undefined =>
  value === undefined ? undefined : value ? 1 : 0;

function instant(text: string): number {
  const parsed = parseInstant(text);
  if (parsed === null) {
    throw new Refusal('FIELD_INVALID', 'Give a date such as 2030-12-31 or 2030-12-31T18:00:00Z.', {
      field: 'expiration_date',
    });
  }
  return parsed;
}

const webAddress = (text: string, field: string): string => requireDestination(text, field).url.href;

function signingKey(key: string): string {
  if (!isBrokenKey(key)) return key;
  throw new Refusal(
    'FIELD_INVALID',
    'A key that begins with "whsec_" goes on in base64, and this one does not. Copy the whole key, or take one that begins otherwise.',
    { field: 'webhook_auth_key' },
  );
}

interface FoundDestination {
  readonly text: string;
  readonly host: string;
  readonly field: string;
}

const textOf = (found: FoundDestination | null | undefined): string | null | undefined =>
  found ? found.text : found;

/** A link to a link of ours would send visitors round in circles, and hide where they end. */
const destinationIn =
  (context: Context, field: string) =>
  (text: string): FoundDestination => {
    const { text: stored, url } = requireDestination(text, field, context.config.appSchemes);
    if (context.site.leadsToUs(url)) throw destinationIsOurs(field);
    return { text: stored, host: url.hostname.replace(/\.$/, ''), field };
  };
