import type { Generated } from 'kysely';

/** Every column of `links` and of `link_bin`, which are copied when a link is deleted and restored. */
const columns = {
  id: 'integer default',
  created_at: 'integer',
  updated_at: 'integer',
  organization_id: 'integer',
  /** 0 is the default domain: the host of BASE_URL, whatever that is now. */
  domain_id: 'integer',
  suffix: 'text',
  /** Its other addresses, a copy of its rows in `link_aliases` as JSON: see `link-aliases.ts`. */
  aliases: 'text null',
  /** 1: its address was changed at least once. */
  moved: 'integer default',
  destination_url: 'text',
  /** For finding links by destination. Null for links that an earlier version created meanwhile. */
  destination_key: 'integer null',
  android_url: 'text null',
  ios_url: 'text null',
  og_title: 'text null',
  og_description: 'text null',
  og_image: 'text null',
  start_at: 'integer null',
  expires_at: 'integer null',
  /** Where visitors are sent before it starts, and after it has expired. */
  before_start_url: 'text null',
  expired_url: 'text null',
  /** It ends after this many clicks; null: no limit. */
  click_limit: 'integer null',
  /** Clicks that count towards the limit: those before it was set, and those that were taken since. */
  clicks_spent: 'integer default',
  /** `RuleFields` as JSON; null if there are none. */
  rules: 'text null',
  /** A `QueryForwarding`; null means FORWARD_QUERY. */
  forward_query: 'text null',
  /** 1: the rest of a visited path after the suffix is appended to the destination's path. */
  forward_path: 'integer default',
  /** Null means 302. */
  redirect_status: 'integer null',
  qr_foreground: 'text',
  qr_background: 'text',
  qr_png: 'integer',
  password_hash: 'text null',
  bot_protection: 'integer',
  captcha: 'integer',
  name: 'text null',
  webhook_url: 'text null',
  /** Sealed: a dump of the database doesn't reveal it. */
  webhook_auth_key: 'text null',
  zapier_hook_url: 'text null',
  /** Names of events, separated by commas. */
  webhook_events: 'text default',
  /** When its webhook is to be called for its expiry; null once that was done. */
  expiry_event_at: 'integer null',
  /** Counts the subscriptions so far. */
  zapier_hook_id: 'integer default',
  /** 1: this link's QR codes carry the marker that distinguishes scans from clicks. */
  qr_marker: 'integer default',
  /** 1: visitors see the page of an ended link. */
  disabled: 'integer default',
  /** 1: it works, but is only listed if the call asks for archived links. */
  archived: 'integer default',
  /** 1: its address or code is in print, so that ending it has to be confirmed. */
  on_paper: 'integer default',
  /** 0: nothing of its visitors is recorded but their number. */
  statistics: 'integer default',
  /** 1: its destinations are checked; 0: they are not; null: as the organization does. */
  watch_destination: 'integer null',
  /** The problems of its destinations, as JSON; see `rules/destinations/watched-destinations.ts`. */
  destination_problems: 'text null',
  notes: 'text null',
  /** The organization's own id for it, unique among its links. */
  external_id: 'text null',
  /** The title of the destination's page; null if unknown. */
  page_title: 'text null',
  /** The key of its icon. */
  page_icon: 'text null',
  /** No longer read: `due_pages` has taken its place. */
  page_due_at: 'integer null',
  /** A user. Null for links older than the history. */
  created_by: 'integer null',
  /** An API key. */
  created_key: 'integer null',
  created_via: 'text null',
  /** Name, suffix, destination and notes, case-folded, for searching the list. */
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

/** The columns by the type of their values. */
export const linkColumns = Object.fromEntries(
  Object.entries(columns).map(([name, type]) => [name, type.split(' ')[0]]),
) as Readonly<Record<Name, 'integer' | 'text'>>;

type TextColumn = { [N in Name]: Columns[N] extends `text${string}` ? N : never }[Name];

/** Texts that an erased link keeps: its addresses, which stay reserved, and settings that say nothing about it. */
type KeptText =
  | 'suffix'
  | 'aliases'
  | 'forward_query'
  | 'qr_foreground'
  | 'qr_background'
  | 'webhook_events'
  | 'created_via';

/** What is erased when a link is permanently deleted from the bin: its suffix stays reserved, its content goes. */
export const erasedColumns = {
  destination_url: '',
  destination_key: null,
  android_url: null,
  ios_url: null,
  before_start_url: null,
  expired_url: null,
  rules: null,
  destination_problems: null,
  og_title: null,
  og_description: null,
  og_image: null,
  password_hash: null,
  name: null,
  notes: null,
  external_id: null,
  page_title: null,
  page_icon: null,
  page_due_at: null,
  webhook_url: null,
  webhook_auth_key: null,
  zapier_hook_url: null,
  search_text: '',
} as const satisfies Partial<Record<Name, '' | null>> & Record<Exclude<TextColumn, KeptText>, '' | null>;
