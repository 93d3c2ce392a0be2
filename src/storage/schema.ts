import type { Generated, Kysely } from 'kysely';
import type { ChangeChannel } from '../rules/access.ts';
import type { HitColumn, RollupClass, UtmField } from '../rules/click-fields.ts';
import type { CheckState } from '../rules/destinations/destination-check.ts';
import type { LinkRow } from './links/link-columns.ts';

/** Integers are ids and instants (epoch milliseconds); 0 and 1 are booleans. The same on every database. */
export interface Schema {
  settings: { key: string; value: string };
  organizations: {
    id: Generated<number>;
    created_at: number;
    name: string;
    qr_marker: Generated<number>;
    /** When its last member deleted their account. */
    deleted_at: Generated<number | null>;
    /** 1: its links' destinations are checked, unless a link has another setting. */
    watch_destinations: Generated<number>;
    /** When its administrators were last mailed about problems of destinations. */
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
    /** 1: the user has verified the address. */
    email_proven: Generated<number>;
    /** When the user became a member of their organization; null: with their account. */
    joined_at: number | null;
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
  /** For the dashboard's cookie. Use moves `renewed_at` forward, at most hourly, and `expires_at` with it. */
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
    /** The value that its TXT record must have. */
    proof: Generated<string>;
    checked_at: number | null;
    /** Null: it is not checked any more. While a node checks it: when others may assume that this node has stopped. */
    next_check_at: number | null;
    /** Since when the proof of a verified domain is missing. */
    gone_since: number | null;
    /** When its verification ended because the proof was missing for too long. */
    released_at: number | null;
    /** It is hidden, and deleted as soon as its links are gone. */
    deleted_at: number | null;
    /** The last result from DNS, as JSON; see `rules/domains/domain-findings.ts`. */
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
  /** Links whose destination's page is to be fetched. They may have been deleted, or have another destination by now. */
  due_pages: { host: string; link_id: number };
  /** Until when a host is reserved for one node that fetches its pages. */
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
  /**
   * Additional addresses of links, including those in the bin. None of them is a link's own address, and each is unique on its
   * domain.
   */
  link_aliases: {
    id: Generated<number>;
    domain_id: number;
    suffix: string;
    link_id: number;
    organization_id: number;
    /** A copy of its link's: queried when an address with more than one segment has no link. */
    forward_path: number;
    created_at: number;
  };
  link_tags: { link_id: number; tag_id: number };
  /**
   * Deleted links as they were, for as long as they can be restored: all columns of `links`, and when they were deleted. Emptied:
   * deleted permanently, except for the suffix, which is still reserved against other organizations.
   */
  link_bin: LinkRow & { deleted_at: number; emptied_at: Generated<number | null> };
  /** Changes of links, deletions and restorations; not their creation. */
  link_history: {
    id: Generated<number>;
    link_id: number;
    organization_id: number;
    at: number;
    user_id: number | null;
    key_id: number | null;
    via: ChangeChannel;
    action: 'created' | 'changed' | 'deleted' | 'restored' | 'not_applied';
    /** The entry to whose state the link was reverted. */
    back_to: number | null;
    /** JSON: see manage/links/record-history.ts. */
    changes: string;
    /** The scheduled change that was or would have been applied. */
    scheduled: Generated<number | null>;
    /** JSON: why a scheduled change was not applied. */
    refusal: Generated<string | null>;
  };
  /** Changes of links scheduled for an instant. Open while `done_at` is null. */
  scheduled_changes: {
    id: Generated<number>;
    link_id: number;
    organization_id: number;
    at: number;
    /** JSON: like the body of a PATCH of the link. */
    changes: string;
    /** 1: applied even if the link is in print. */
    is_confirmed: number;
    created_at: number;
    /** Different for each state. */
    updated_at: number;
    /** The user whose permissions count when it is applied. */
    user_id: number;
    key_id: number | null;
    via: ChangeChannel;
    done_at: number | null;
    /** JSON: why it was not applied. */
    refusal: string | null;
    /** When a node may mail its author about the refusal; null if there is nothing to mail. */
    untold: Generated<number | null>;
  };
  /** Visits to addresses without a link; an empty suffix stands for those that aren't stored separately. */
  not_found_visits: { domain_id: number; day: number; suffix: string; visits: number };
  /** Watched destinations of links, each once for all organizations. */
  watched_urls: WatchedUrl;
  /** Their hosts: when one of a host's addresses is due, and when the host may be sent requests again. */
  watched_hosts: { host: string; due_at: number; free_at: number; answered_at: number | null };
  /** The robots.txt of an origin. Null: there is none. */
  watched_robots: { origin: string; rules: string | null; read_at: number };
  /** Which links lead to which watched address. `unmailed`: since when its problem has not been mailed to administrators. */
  watched_links: { link_id: number; url_id: number; organization_id: number; unmailed: number | null };
  /** One row: when all links were last searched for destinations to watch. */
  watch_sweeps: { claimed_until: number; finished_at: number };
  link_bin_tags: { link_id: number; tag_id: number };
  /** How many links have a tag, spread over a few rows. */
  tag_counts: { tag_id: number; shard: number; links: number };
  /** How many links an organization has on a domain, spread over a few rows so that parallel creations don't queue. */
  link_counts: { organization_id: number; domain_id: number; shard: number; links: number };
  /** How many of an organization's links have an id in a block, for blocks below the mark. */
  link_blocks: { organization_id: number; block: number; links: number };
  link_block_marks: { organization_id: number; counted_to: number };
  /** Links whose cached copies are out of date: their suffixes on a domain, one per line. */
  changes: { id: Generated<number>; at: number; domain_id: number; suffixes: string };
  /** Texts by number. 0 is never assigned: it stands for the empty text. */
  words: {
    id: Generated<number>;
    word: string;
    /** The newest sweep when a fold last fetched it: that sweep and earlier ones don't delete it. */
    sweep: Generated<number>;
  };
  /** Processes that use this store, with the state that they reported last. */
  nodes: {
    /** The data folder's id. */
    node: string;
    process: string;
    host_name: string;
    version: string;
    started_at: number;
    seen_at: number;
    /** In the journal of this process, and not yet in the database. */
    waiting_clicks: number;
    waiting_since: number | null;
    /** In all journals of the data folder. */
    waiting_bytes: number;
    /** The newest migration that this program knows; null for releases that don't report it. */
    migration: number | null;
  };
  /** One row: the progress of the sweeps that delete unused words. */
  word_sweeps: {
    /** The number of the last one that has begun. */
    sweep: number;
    /** 1: clicks were erased since it began. */
    wanted: number;
    /** 0 if none is running. */
    claimed_until: number;
    finished_at: number;
  };
  /** The ledger: every hit, for as long as the retention. Values are codes of `rules/click-fields.ts`, or ids of `words`. */
  hits: Record<HitColumn, number> & { id: Generated<number> };
  /** The other part of the ledger: hits of a busy time, many per row, as `hit-pack.ts` writes them. */
  hit_packs: {
    /** The id of the first hit: the others have the following ids, and no row of `hits` has one of them. */
    id: number;
    organization_id: number;
    hits: number;
    first_at: number;
    last_at: number;
    /** On PostgreSQL: its lowest and its highest link; null in packs of earlier releases. */
    first_link?: number | null;
    last_link?: number | null;
    cells: Uint8Array;
  };
  /**
   * Older hits (`ledger/chunks/hit-chunk.ts`), consecutive by id for one organization. On PostgreSQL a chunk's columns are in its row,
   * and its hits are in rows and packs as well.
   */
  hit_chunks: {
    id: Generated<number>;
    organization_id: number;
    hits: number;
    first_id: number;
    last_id: number;
    first_at: number;
    last_at: number;
    /** A bit for each class of the roll-ups among its hits. */
    classes: number;
    made_at: number;
  };
  hit_chunk_columns: { key: number; cells: Uint8Array };
  hit_chunk_tallies: { key: number; cells: Uint8Array };
  /** The rows of a link in a chunk. On PostgreSQL with the chunk's `first_at`, and only of chunks of earlier releases. */
  hit_chunk_links: {
    link_id: number;
    chunk_id: number;
    first_row: number;
    end_row: number;
    first_at?: number;
  };
  /** On PostgreSQL: the rows of links in a chunk, as `ledger/chunks/link-groups.ts` writes them. */
  hit_link_groups: { chunk_id: number; last_link: number; first_at: number; links: Uint8Array };
  /** Which packs have hits of a link. On PostgreSQL only programs of the previous release read it. */
  hit_pack_links: { link_id: number; pack_id: number; first_at?: number };
  /** On PostgreSQL: the newest assigned id of a hit, and the id up to which no more hits appear. */
  hit_ids: { newest: number; settled: number };
  /** Hits by hour (hours since the epoch), class and value of a dimension; kept permanently. */
  organization_rollups: Rollup & { organization_id: number };
  /** The same for a link's hour, in one row: see `ledger/counts/hour-counts.ts`. On PostgreSQL null is 0. */
  link_hours: Record<Exclude<RollupClass, 'click'>, number | null> & {
    link_id: number;
    hour: number;
    click: number;
    /** Visitors who were new on that day, in any of its hours. */
    visitors: number;
    /** How many characters were appended to `counts` since it was last sorted. */
    loose: number | null;
    counts: string;
  };
  link_clicks: { link_id: number; clicks: number; last_clicked_at: number };
  daily_visitors: { day: number; owner: number; visitor: number };
  /** On PostgreSQL: the visitors of a day by batch (`ledger/visitors/visitor-runs.ts`), and the newest run. */
  visitor_runs: { day: number; id: number; visitors: Uint8Array };
  visitor_days: { day: number; newest: number; edition: number; is_by_row: boolean };
  /** Corrections that erase clicks or move them to another class: by whom, and their progress. */
  click_corrections: {
    id: Generated<number>;
    created_at: number;
    organization_id: number;
    /** Null: all links of the organization. */
    link_id: number | null;
    user_id: number;
    /** Null: from the first click on. */
    from_at: number | null;
    /** Exclusive. */
    to_at: number;
    /** Codes of the ledger; null if clicks were erased. */
    from_class: number | null;
    to_class: number | null;
    /** The correction that it reverts. */
    way_back_of: number | null;
    hits: number;
    /** Hits of which only the counts were left. */
    not_kept: number;
    phase: number;
    /** The progress of the phase: an id, an hour or a dimension. */
    place: number;
    /** No hit with this id or a lower one is left to correct. */
    seen_id: number;
    /** When a node may continue it; null if it is finished. */
    due_at: number | null;
    finished_at: number | null;
  };
  journal_watermarks: {
    node: string;
    segment: number;
    byte_offset: number;
    /** When the journal was completely folded and given up; null while it may grow. */
    finished_at: Generated<number | null>;
  };
  /** Lets nodes compare their salt of a day; PostgreSQL only. */
  visitor_salt_marks: { day: number; mark: string; proof: string };
  /** Requests of nodes for the salt of a day, and the salt sealed for each. */
  visitor_salt_requests: { public_key: string; day: number; proof: string; answer: string | null };
  /** The clicks of a batch, for some minutes: `ledger/fold/click-claims.ts`. */
  click_claims: {
    turn: number;
    journal: string;
    segment: number;
    byte_offset: number;
    first_at: number;
    last_at: number;
    /** By the clock of the folding process. */
    folded_at: number;
    cells: Uint8Array;
    end_segment: Generated<number>;
    end_offset: Generated<number>;
  };
  click_claim_turns: { turn: number };
  /** How close a network is to flooding a link, for some minutes: `ledger/fold/flood-levels.ts`. */
  flood_levels: { pair: number; level: number; at: number; folded_at: number };
  webhook_deliveries: {
    id: Generated<number>;
    created_at: number;
    organization_id: number;
    link_id: number;
    event: string;
    /** The same in all attempts: the receiver recognises repetitions by it. */
    message_id: string;
    target_url: string;
    body: string;
    /** Sealed, as it was when the event happened. */
    signing_key: string | null;
    state: 'waiting' | 'delivered' | 'failed';
    tries: number;
    first_tried_at: number | null;
    /** Null if no further attempt is due. While a node sends it: when others may assume that this node has stopped. */
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
  /** Certificates by ACME, ordered and to be ordered. */
  certificates: {
    /** In ASCII. */
    host: string;
    /** PEM: the certificate with its chain. Null until there is one, like the next three. */
    chain: string | null;
    /** PEM, sealed. */
    sealed_key: string | null;
    not_after: number | null;
    renew_at: number | null;
    /** When a node should check it: to order it, to retry, or to ask the authority when to renew. */
    next_at: number;
    /** While a node orders it: when others may assume that this node has stopped. */
    claimed_until: number | null;
    /** Consecutive failed orders. */
    failures: Generated<number>;
    /** A code of `rules/domains/certificate-problem.ts` for the last order, and the authority's message. */
    problem: string | null;
    problem_detail: string | null;
    /** The times of the orders of the last week, separated by blanks. */
    orders: Generated<string>;
  };
  /** Answers to an authority's challenges, by HTTP-01 or TLS-ALPN-01. */
  certificate_proofs: {
    token: string;
    host: string;
    answer: string;
    /** PEM, for TLS-ALPN-01 only. */
    certificate: string | null;
    private_key: string | null;
    expires_at: number;
  };
  /** Calls with an Idempotency-Key, and their answers. */
  idempotency_keys: {
    user_id: number;
    organization_id: number;
    key_hash: string;
    request_hash: string;
    expires_at: number;
    /** The length of `answer`. */
    size: number;
    /** Null while the answer is unknown, or if it was lost. */
    status: number | null;
    /** Sealed. */
    answer: string | null;
  };
  webhook_outages: {
    organization_id: number;
    target_url: string;
    since: number;
    last_failed_at: number;
    /** When administrators were mailed; null until then. */
    told_at: number | null;
    /** While a node mails them: when others may assume that this node has stopped. */
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

interface WatchedUrl extends CheckState {
  id: Generated<number>;
  /** A hash of the address: indexes contain no long texts. */
  url_key: string;
}
