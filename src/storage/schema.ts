import type { Generated, Kysely } from 'kysely';
import type { Way } from '../rules/access.ts';
import type { HitColumn, RollupClass, UtmField } from '../rules/click-fields.ts';
import type { LookState } from '../rules/destination-look.ts';
import type { LinkRow } from './link-columns.ts';

/** Integers count ids and instants (epoch milliseconds); 0 and 1 are booleans. The same on every database. */
export interface Schema {
  settings: { key: string; value: string };
  organizations: {
    id: Generated<number>;
    created_at: number;
    name: string;
    qr_marker: Generated<number>;
    /** When its last member deleted their account. */
    deleted_at: Generated<number | null>;
    /** 1: destinations of its links are looked at, where a link doesn't say otherwise. */
    watch_destinations: Generated<number>;
    /** When its administrators were last mailed what is wrong with destinations. */
    watch_mailed_at: Generated<number | null>;
  };
  users: {
    id: Generated<number>;
    created_at: number;
    email: string;
    name: string | null;
    password_hash: string;
    organization_id: number;
    role: 'administrator' | 'editor';
    /** 1: the holder has shown that the address is theirs. */
    email_proven: Generated<number>;
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
  /** Of the dashboard's cookie. `renewed_at` is moved on by use, at most hourly, and `expires_at` with it. */
  sessions: {
    hash: string;
    user_id: number;
    created_at: number;
    renewed_at: number;
    expires_at: number;
    browser: string | null;
    os: string | null;
  };
  password_resets: {
    id: Generated<number>;
    created_at: number;
    user_id: number;
    token_hash: string;
    expires_at: number;
  };
  access_tokens: { hash: string; family_id: number; expires_at: number };
  refresh_tokens: { hash: string; family_id: number; expires_at: number; replaced_at: number | null };
  attempts: { key: string; count: number; window_ends_at: number };
  used_challenges: { id: string; expires_at: number };
  domains: {
    id: Generated<number>;
    created_at: number;
    organization_id: number;
    /** In ASCII. */
    host: string;
    verified_at: number | null;
    /** What its TXT record must say. */
    proof: Generated<string>;
    checked_at: number | null;
    /** Null: it is not checked any more. While a node checks it: when others may assume that this node has died. */
    next_check_at: number | null;
    /** Since when the proof of a verified domain is missing. */
    gone_since: number | null;
    /** When it stopped being verified because its proof was gone for too long. */
    released_at: number | null;
    /** It is hidden, and goes as soon as its links are gone. */
    deleted_at: number | null;
    /** What was last seen in DNS, as JSON; see `rules/domain-findings.ts`. */
    seen: Generated<string>;
    root_url: string | null;
    not_found_url: string | null;
  };
  tags: {
    id: Generated<number>;
    created_at: number;
    organization_id: number;
    name: string;
    name_folded: string;
  };
  /** Icons of destinations, in base64. */
  page_icons: { key: string; type: string; content: string; fetched_at: number };
  /** Until when a host is asked for a page by one node. */
  page_hosts: { host: string; free_at: number };
  utm_templates: {
    id: Generated<number>;
    organization_id: number;
    name: string;
    name_folded: string;
    created_at: number;
    updated_at: number;
  } & Record<UtmField, string | null>;
  links: LinkRow;
  /** Further addresses of links, those in the bin too. No link has one of them as its own, and each is unique on its domain. */
  link_aliases: {
    id: Generated<number>;
    domain_id: number;
    suffix: string;
    link_id: number;
    organization_id: number;
    /** As its link has it: asked where an address with more than one part leads nowhere. */
    forward_path: number;
    created_at: number;
  };
  link_tags: { link_id: number; tag_id: number };
  /**
   * Deleted links as they were, for as long as they can be restored: every column of `links`, and when. Emptied: deleted
   * for good, except for the suffix, which other organizations must not get yet.
   */
  link_bin: LinkRow & { deleted_at: number; emptied_at: Generated<number | null> };
  /** Changes of links, deletions and returns from the bin; not their creation. */
  link_history: {
    id: Generated<number>;
    link_id: number;
    organization_id: number;
    at: number;
    user_id: number | null;
    key_id: number | null;
    via: Way;
    action: 'created' | 'changed' | 'deleted' | 'restored' | 'not_applied';
    /** The entry after which the link was as it is now again. */
    back_to: number | null;
    /** JSON: see manage/record-history.ts. */
    changes: string;
    /** The scheduled change that this was, or would have been. */
    scheduled: Generated<number | null>;
    /** JSON: why a scheduled change was not applied. */
    refusal: Generated<string | null>;
  };
  /** Changes of links that are made at an instant. Open as long as `done_at` is null. */
  scheduled_changes: {
    id: Generated<number>;
    link_id: number;
    organization_id: number;
    at: number;
    /** JSON: as a PATCH of the link would be sent. */
    changes: string;
    /** 1: also where the link is in print. */
    is_confirmed: number;
    created_at: number;
    /** No two states share it. */
    updated_at: number;
    /** Whose rights count when it is applied. */
    user_id: number;
    key_id: number | null;
    via: Way;
    done_at: number | null;
    /** JSON: why it was not applied. */
    refusal: string | null;
    /** Its author has yet to be mailed that it was refused: from when on a node may do so. */
    untold: Generated<number | null>;
  };
  /** Visits to addresses that no link has; of an empty suffix: to those that aren't kept apart. */
  not_found_visits: { domain_id: number; day: number; suffix: string; visits: number };
  /** Addresses that links lead to and that are looked at, each once for all organizations. */
  watched_urls: WatchedUrl;
  /** Hosts of theirs: when one of their addresses is due, and from when on the host may be asked again. */
  watched_hosts: { host: string; due_at: number; free_at: number; answered_at: number | null };
  /** The robots.txt of an origin. Null: there is none. */
  watched_robots: { origin: string; rules: string | null; read_at: number };
  /** Which links lead to which of them. `unmailed`: since when administrators have yet to be mailed what is wrong there. */
  watched_links: { link_id: number; url_id: number; organization_id: number; unmailed: number | null };
  /** One row: when it was last looked through all links for what is to be watched. */
  watch_sweeps: { claimed_until: number; finished_at: number };
  link_bin_tags: { link_id: number; tag_id: number };
  /** How many links have a tag, spread over a few rows. */
  tag_counts: { tag_id: number; shard: number; links: number };
  /**
   * How many links an organization has on a domain, spread over a few rows so that parallel creations don't queue.
   */
  link_counts: { organization_id: number; domain_id: number; shard: number; links: number };
  /** How many of an organization's links have an id in a block, for those below the mark. */
  link_blocks: { organization_id: number; block: number; links: number };
  link_block_marks: { organization_id: number; counted_to: number };
  /** Links whose cached copies are out of date: their suffixes on a domain, one to a line. */
  changes: { id: Generated<number>; at: number; domain_id: number; suffixes: string };
  /** Texts by number. 0 is never handed out: it stands for the empty text. */
  words: {
    id: Generated<number>;
    word: string;
    /** The sweep in or after which a fold has last asked for it: this one and earlier ones don't delete it. */
    sweep: Generated<number>;
  };
  /** Processes that use this store, as they told of themselves last. */
  nodes: {
    /** Of the data folder. */
    node: string;
    process: string;
    host_name: string;
    version: string;
    started_at: number;
    seen_at: number;
    /** In the journal of this process, and not in the database. */
    waiting_clicks: number;
    waiting_since: number | null;
    /** In all journals of the data folder. */
    waiting_bytes: number;
    /** The newest that this program knows; null: of a release that doesn't tell. */
    migration: number | null;
  };
  /** One row: how far the sweeps are that delete words which nothing refers to. */
  word_sweeps: {
    /** The number of the last one that has begun. */
    sweep: number;
    /** 1: clicks were erased since it began. */
    wanted: number;
    /** 0 where none is running. */
    claimed_until: number;
    finished_at: number;
  };
  /**
   * The ledger: every hit, as long as the retention. Values are codes of `rules/click-fields.ts`, or ids of `words`.
   */
  hits: Record<HitColumn, number> & { id: Generated<number> };
  /** The ledger's other half: hits of a busy time, many in one row, as `hit-pack.ts` writes them. */
  hit_packs: {
    /** The first hit's: as many follow as there are hits, and no row of `hits` has one of them. */
    id: number;
    organization_id: number;
    hits: number;
    first_at: number;
    last_at: number;
    cells: Uint8Array;
  };
  /**
   * Hits of a while ago (`ledger/hit-chunk.ts`). Those of one organization follow one another by their ids. On PostgreSQL a
   * chunk's columns are in the row, and its hits are in rows and packs as well.
   */
  hit_chunks: {
    id: Generated<number>;
    organization_id: number;
    hits: number;
    first_id: number;
    last_id: number;
    first_at: number;
    last_at: number;
    /** A bit for each class of the roll-ups that its hits have. */
    classes: number;
    made_at: number;
  };
  hit_chunk_columns: { key: number; cells: Uint8Array };
  hit_chunk_tallies: { key: number; cells: Uint8Array };
  /** The rows of a link in a chunk; on PostgreSQL with the chunk's `first_at`. */
  hit_chunk_links: {
    link_id: number;
    chunk_id: number;
    first_row: number;
    end_row: number;
    first_at?: number;
  };
  /** Which packs have hits of a link; on PostgreSQL with the pack's `first_at`. */
  hit_pack_links: { link_id: number; pack_id: number; first_at?: number };
  /** On PostgreSQL: the newest id that a hit was given, and up to which id no more hits appear. */
  hit_ids: { newest: number; settled: number };
  /** Hits by hour (hours since the epoch), class and value of a dimension, for good. */
  organization_rollups: Rollup & { organization_id: number };
  /** The same for a link's hour, in one row: `ledger/hour-counts.ts` says how. */
  link_hours: Record<RollupClass, number> & {
    link_id: number;
    hour: number;
    /** Visitors who were new that day, under any of its hours. */
    visitors: number;
    /** How many characters were appended to `counts` since it was last sorted. */
    loose: number;
    counts: string;
  };
  link_clicks: { link_id: number; clicks: number; last_clicked_at: number };
  daily_visitors: { day: number; owner: number; visitor: number };
  /** On PostgreSQL: the visitors of a day by the batch (`ledger/visitor-runs.ts`), and the newest of them. */
  visitor_runs: { day: number; id: number; visitors: Uint8Array };
  visitor_days: { day: number; newest: number; edition: number; is_by_row: boolean };
  /** Clicks that were erased or moved to another class: who did it, and how far it has come. */
  click_corrections: {
    id: Generated<number>;
    created_at: number;
    organization_id: number;
    /** Null: all links of the organization. */
    link_id: number | null;
    user_id: number;
    /** Null: from the first click on. */
    from_at: number | null;
    /** The first instant that is no longer in it. */
    to_at: number;
    /** Codes of the ledger; null where clicks were erased. */
    from_class: number | null;
    to_class: number | null;
    /** The correction that it takes back. */
    way_back_of: number | null;
    hits: number;
    /** Hits of which only the numbers were there. */
    not_kept: number;
    phase: number;
    /** How far the phase has come: an id, an hour or a dimension. */
    place: number;
    /** No hit with this id or a lower one is left to correct. */
    seen_id: number;
    /** When a node may go on with it; null when it is finished. */
    due_at: number | null;
    finished_at: number | null;
  };
  journal_watermarks: {
    node: string;
    segment: number;
    byte_offset: number;
    /** When the journal was folded to its end and given up; null while more may come. */
    finished_at: Generated<number | null>;
  };
  /** By which nodes see whether they have the same salt of a day; PostgreSQL alone. */
  visitor_salt_marks: { day: number; mark: string; proof: string };
  /** Nodes that ask for the salt of a day, and the salt sealed for each. */
  visitor_salt_requests: { public_key: string; day: number; proof: string; answer: string | null };
  /** The clicks of a batch, for some minutes: `ledger/click-claims.ts`. */
  click_claims: {
    turn: number;
    journal: string;
    segment: number;
    byte_offset: number;
    first_at: number;
    last_at: number;
    /** The clock of the process that folds. */
    folded_at: number;
    cells: Uint8Array;
  };
  click_claim_turns: { turn: number };
  /** How near a network is to flooding a link, for some minutes: `ledger/flood-levels.ts`. */
  flood_levels: { pair: number; level: number; at: number; folded_at: number };
  webhook_deliveries: {
    id: Generated<number>;
    created_at: number;
    organization_id: number;
    link_id: number;
    event: string;
    /** The same through all tries: the receiver recognises repetitions by it. */
    message_id: string;
    target_url: string;
    body: string;
    /** Sealed, as it was when the event happened. */
    signing_key: string | null;
    state: 'waiting' | 'delivered' | 'failed';
    tries: number;
    first_tried_at: number | null;
    /** Null when no further try is due. While a node sends it: when others may assume that this node has died. */
    next_try_at: number | null;
    /** Identifies the claim: the `next_try_at` that its node set. Null while it isn't claimed. */
    claimed_until: number | null;
  };
  webhook_attempts: {
    id: Generated<number>;
    delivery_id: number;
    at: number;
    duration: number;
    status: number | null;
    excerpt: string | null;
    problem: string | null;
  };
  /** Those that are ordered by ACME, and those that are to be. */
  certificates: {
    /** In ASCII. */
    host: string;
    /** PEM: the certificate and those that vouch for it. Null until there is one, like the next three. */
    chain: string | null;
    /** PEM, sealed. */
    sealed_key: string | null;
    not_after: number | null;
    renew_at: number | null;
    /** When a node is to look at it: to order it, to try again, to ask the authority when to renew. */
    next_at: number;
    /** While a node orders it: when others may assume that this node has died. */
    claimed_until: number | null;
    /** How many orders in a row have failed. */
    failures: Generated<number>;
    /** A code of `rules/certificate-problem.ts`, of the last order, and what the authority said. */
    problem: string | null;
    problem_detail: string | null;
    /** When the orders of the last week were made, with a blank between them. */
    orders: Generated<string>;
  };
  /** What an authority asks for while a name is proved, by HTTP-01 or TLS-ALPN-01. */
  certificate_proofs: {
    token: string;
    host: string;
    answer: string;
    /** PEM, for TLS-ALPN-01 alone. */
    certificate: string | null;
    private_key: string | null;
    expires_at: number;
  };
  /** Calls with an Idempotency-Key, and what they were answered. */
  idempotency_keys: {
    user_id: number;
    organization_id: number;
    key_hash: string;
    request_hash: string;
    expires_at: number;
    /** The length of `answer`. */
    size: number;
    /** Null while the answer isn't known, or lost. */
    status: number | null;
    /** Sealed. */
    answer: string | null;
  };
  webhook_outages: {
    organization_id: number;
    target_url: string;
    since: number;
    last_failed_at: number;
    /** When administrators were told; null until then. */
    told_at: number | null;
    /** While a node tells them: when others may assume that this node has died. */
    claimed_until: number | null;
  };
}

interface Rollup {
  dimension: number;
  hour: number;
  class: number;
  value: number;
  hits: number;
}

export type Queries = Kysely<Schema>;

/** The domain of links that name no other: the host of BASE_URL. It has no row. */
export const defaultDomainId = 0;

interface WatchedUrl extends LookState {
  id: Generated<number>;
  /** A hash of the address: indexes hold no long texts. */
  url_key: string;
}
