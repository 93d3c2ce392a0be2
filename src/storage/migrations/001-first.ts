import type { Migration } from '../migration.ts';

export const first: Migration = ({ id, integer, tableEnd }) => [
  `create table settings (key text primary key, value text not null) ${tableEnd}`,

  `create table organizations (id ${id}, created_at ${integer} not null, name text not null) ${tableEnd}`,

  `create table users (
    id ${id},
    created_at ${integer} not null,
    email text not null,
    name text,
    password_hash text not null,
    organization_id ${integer} not null references organizations (id),
    role text not null
  ) ${tableEnd}`,
  'create unique index users_email on users (email)',
  'create index users_organization on users (organization_id)',

  `create table invitations (
    id ${id},
    created_at ${integer} not null,
    organization_id ${integer} not null references organizations (id),
    invited_by ${integer} not null,
    email text not null,
    role text not null,
    token_hash text not null,
    expires_at ${integer} not null
  ) ${tableEnd}`,
  'create unique index invitations_token on invitations (token_hash)',
  'create unique index invitations_email on invitations (organization_id, email)',

  `create table api_keys (
    id ${id},
    created_at ${integer} not null,
    user_id ${integer} not null references users (id) on delete cascade,
    organization_id ${integer} not null,
    name text not null,
    prefix text not null,
    hash text not null,
    last_used_at ${integer}
  ) ${tableEnd}`,
  'create unique index api_keys_hash on api_keys (hash)',
  'create index api_keys_user on api_keys (user_id)',

  `create table token_families (
    id ${id},
    created_at ${integer} not null,
    user_id ${integer} not null references users (id) on delete cascade,
    ended_at ${integer}
  ) ${tableEnd}`,
  'create index token_families_user on token_families (user_id)',

  `create table access_tokens (
    hash text primary key,
    family_id ${integer} not null references token_families (id) on delete cascade,
    expires_at ${integer} not null
  ) ${tableEnd}`,
  'create index access_tokens_family on access_tokens (family_id)',
  'create index access_tokens_expiry on access_tokens (expires_at)',

  `create table refresh_tokens (
    hash text primary key,
    family_id ${integer} not null references token_families (id) on delete cascade,
    expires_at ${integer} not null,
    replaced_at ${integer}
  ) ${tableEnd}`,
  'create index refresh_tokens_family on refresh_tokens (family_id)',
  'create index refresh_tokens_expiry on refresh_tokens (expires_at)',

  `create table attempts (key text primary key, count ${integer} not null, window_ends_at ${integer} not null) ${tableEnd}`,
  'create index attempts_window on attempts (window_ends_at)',

  `create table used_challenges (id text primary key, expires_at ${integer} not null) ${tableEnd}`,
  'create index used_challenges_expiry on used_challenges (expires_at)',

  `create table domains (
    id ${id},
    created_at ${integer} not null,
    organization_id ${integer} not null references organizations (id),
    host text not null,
    verified_at ${integer}
  ) ${tableEnd}`,
  'create index domains_host on domains (host)',
  'create unique index domains_verified on domains (host) where verified_at is not null',
  'create index domains_organization on domains (organization_id)',

  `create table tags (
    id ${id},
    created_at ${integer} not null,
    organization_id ${integer} not null references organizations (id),
    name text not null,
    name_folded text not null
  ) ${tableEnd}`,
  'create unique index tags_name on tags (organization_id, name_folded)',

  `create table links (
    id ${id},
    created_at ${integer} not null,
    updated_at ${integer} not null,
    organization_id ${integer} not null references organizations (id),
    domain_id ${integer} not null,
    suffix text not null,
    destination_url text not null,
    android_url text,
    ios_url text,
    og_title text,
    og_description text,
    og_image text,
    expires_at ${integer},
    qr_foreground text not null,
    qr_background text not null,
    qr_png ${integer} not null,
    password_hash text,
    bot_protection ${integer} not null,
    captcha ${integer} not null,
    name text,
    webhook_url text,
    webhook_auth_key text,
    zapier_hook_url text,
    search_text text not null
  ) ${tableEnd}`,
  'create unique index links_suffix on links (domain_id, suffix)',
  'create index links_organization on links (organization_id, id)',

  `create table link_tags (
    link_id ${integer} not null references links (id) on delete cascade,
    tag_id ${integer} not null references tags (id) on delete cascade,
    primary key (link_id, tag_id)
  ) ${tableEnd}`,
  'create index link_tags_tag on link_tags (tag_id, link_id)',

  `create table link_counts (
    organization_id ${integer} not null,
    shard ${integer} not null,
    links ${integer} not null,
    primary key (organization_id, shard)
  ) ${tableEnd}`,

  `create table changes (
    id ${id},
    at ${integer} not null,
    domain_id ${integer} not null,
    suffix text not null
  ) ${tableEnd}`,
  'create index changes_at on changes (at)',
];
