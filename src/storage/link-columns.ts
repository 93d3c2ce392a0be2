import type { Generated } from 'kysely';

/** A row of `links`, and of `link_bin` as it was there. */
export interface LinkRow {
  id: Generated<number>;
  created_at: number;
  updated_at: number;
  organization_id: number;
  /** 0 is the default domain: the host of BASE_URL, whatever it is today. */
  domain_id: number;
  suffix: string;
  destination_url: string;
  android_url: string | null;
  ios_url: string | null;
  og_title: string | null;
  og_description: string | null;
  og_image: string | null;
  expires_at: number | null;
  qr_foreground: string;
  qr_background: string;
  qr_png: number;
  password_hash: string | null;
  bot_protection: number;
  captcha: number;
  name: string | null;
  webhook_url: string | null;
  /** Sealed: a dump of the database doesn't show it. */
  webhook_auth_key: string | null;
  zapier_hook_url: string | null;
  /** Names of events, separated by commas. */
  webhook_events: Generated<string>;
  /** When its webhook is to be told of its expiry; null once that was done. */
  expiry_event_at: number | null;
  /** Counts the subscriptions there have been. */
  zapier_hook_id: Generated<number>;
  /** 1: the QR codes of this link carry the marker that distinguishes scans from clicks. */
  qr_marker: Generated<number>;
  /** Name, suffix and destination, folded, for the list's search. */
  search_text: string;
}

/** Every column: what is inserted, moved to the bin and restored from it. */
export const linkColumns = {
  id: 'integer',
  created_at: 'integer',
  updated_at: 'integer',
  organization_id: 'integer',
  domain_id: 'integer',
  suffix: 'text',
  destination_url: 'text',
  android_url: 'text',
  ios_url: 'text',
  og_title: 'text',
  og_description: 'text',
  og_image: 'text',
  expires_at: 'integer',
  qr_foreground: 'text',
  qr_background: 'text',
  qr_png: 'integer',
  password_hash: 'text',
  bot_protection: 'integer',
  captcha: 'integer',
  name: 'text',
  webhook_url: 'text',
  webhook_auth_key: 'text',
  zapier_hook_url: 'text',
  webhook_events: 'text',
  expiry_event_at: 'integer',
  zapier_hook_id: 'integer',
  qr_marker: 'integer',
  search_text: 'text',
} as const satisfies Record<keyof LinkRow, 'integer' | 'text'>;

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
