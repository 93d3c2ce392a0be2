import type { Generated, Kysely } from 'kysely';

/** Integers count ids and instants (epoch milliseconds); 0 and 1 are booleans. The same on every database. */
export interface Schema {
  settings: { key: string; value: string };
  organizations: { id: Generated<number>; created_at: number; name: string };
  users: {
    id: Generated<number>;
    created_at: number;
    email: string;
    name: string | null;
    password_hash: string;
    organization_id: number;
    role: 'administrator' | 'editor';
  };
  invitations: {
    id: Generated<number>;
    created_at: number;
    organization_id: number;
    invited_by: number;
    email: string;
    role: 'administrator' | 'editor';
    token_hash: string;
    expires_at: number;
  };
  api_keys: {
    id: Generated<number>;
    created_at: number;
    user_id: number;
    organization_id: number;
    name: string;
    prefix: string;
    hash: string;
    last_used_at: number | null;
  };
  token_families: { id: Generated<number>; created_at: number; user_id: number; ended_at: number | null };
  access_tokens: { hash: string; family_id: number; expires_at: number };
  refresh_tokens: { hash: string; family_id: number; expires_at: number; replaced_at: number | null };
  attempts: { key: string; count: number; window_ends_at: number };
  used_challenges: { id: string; expires_at: number };
  domains: {
    id: Generated<number>;
    created_at: number;
    organization_id: number;
    host: string;
    verified_at: number | null;
  };
  tags: {
    id: Generated<number>;
    created_at: number;
    organization_id: number;
    name: string;
    name_folded: string;
  };
  links: {
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
    /** Name, suffix and destination, folded, for the list's search. */
    search_text: string;
  };
  link_tags: { link_id: number; tag_id: number };
  /** How many links an organization has, spread over a few rows so that parallel creations don't queue. */
  link_counts: { organization_id: number; shard: number; links: number };
  changes: { id: Generated<number>; at: number; domain_id: number; suffix: string };
}

export type Queries = Kysely<Schema>;

/** What an organization can't change about where its link lives when it chose no domain of its own. */
export const defaultDomainId = 0;
