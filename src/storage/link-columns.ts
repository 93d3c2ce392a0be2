import type { Generated } from 'kysely';

/** Every column of `links`, and of `link_bin` as it was there: inserted, moved to the bin and restored. */
const columns = {
  id: 'integer default',
  created_at: 'integer',
  updated_at: 'integer',
  organization_id: 'integer',
  /** 0 is the default domain: the host of BASE_URL, whatever it is today. */
  domain_id: 'integer',
  suffix: 'text',
  destination_url: 'text',
  android_url: 'text null',
  ios_url: 'text null',
  og_title: 'text null',
  og_description: 'text null',
  og_image: 'text null',
  expires_at: 'integer null',
  qr_foreground: 'text',
  qr_background: 'text',
  qr_png: 'integer',
  password_hash: 'text null',
  bot_protection: 'integer',
  captcha: 'integer',
  name: 'text null',
  webhook_url: 'text null',
  /** Sealed: a dump of the database doesn't show it. */
  webhook_auth_key: 'text null',
  zapier_hook_url: 'text null',
  /** Names of events, separated by commas. */
  webhook_events: 'text default',
  /** When its webhook is to be told of its expiry; null once that was done. */
  expiry_event_at: 'integer null',
  /** Counts the subscriptions there have been. */
  zapier_hook_id: 'integer default',
  /** 1: the QR codes of this link carry the marker that distinguishes scans from clicks. */
  qr_marker: 'integer default',
  /** Name, suffix and destination, folded, for the list's search. */
  search_text: 'text',
} as const;

type Columns = typeof columns;
type Name = keyof Columns;
type ValueOf<Type> = Type extends `integer${string}` ? number : string;

export type LinkRow = {
  [N in Name]: Columns[N] extends `${string} default`
    ? Generated<ValueOf<Columns[N]>>
    : Columns[N] extends `${string} null`
      ? ValueOf<Columns[N]> | null
      : ValueOf<Columns[N]>;
};

/** The columns by their kind of value. */
export const linkColumns = Object.fromEntries(
  Object.entries(columns).map(([name, type]) => [name, type.split(' ')[0]]),
) as Readonly<Record<Name, 'integer' | 'text'>>;

/** What is erased of a link that is removed from the bin for good: its suffix stays reserved, its content goes. */
export const erasedColumns = {
  destination_url: '',
  android_url: null,
  ios_url: null,
  og_title: null,
  og_description: null,
  og_image: null,
  password_hash: null,
  name: null,
  webhook_url: null,
  webhook_auth_key: null,
  zapier_hook_url: null,
  search_text: '',
} as const satisfies Partial<Record<keyof LinkRow, '' | null>>;
