import type { Refusal } from '../../rules/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { CompleteLink } from '../../storage/links/insert-links.ts';
import type { AnsweredLink } from '../../storage/links/links.ts';
import type { StoredTag } from '../../storage/tags.ts';

/** A link with valid fields: it can be stored if its suffix is free. */
export interface PreparedLink {
  /** Normalised. A random one is drawn again if it is taken. */
  readonly suffix: string;
  readonly isChosen: boolean;
  readonly host: string | null;
  readonly tagIds: readonly number[];
  /** The host whose page is to be fetched for the link's title and icon; null if it isn't. */
  readonly pageHost: string | null;
  readonly row: Omit<CompleteLink, 'id' | 'suffix' | 'search_text'>;
}

export interface LinkWithTags {
  readonly link: AnsweredLink;
  readonly tags: readonly StoredTag[];
  /** It existed before the call that would have created it. */
  readonly isFound?: boolean;
}

export type Outcome = LinkWithTags | Refusal;

export interface StoringDependencies {
  readonly database: Database;
  readonly now: () => number;
  readonly randomSuffix: () => string;
}

/** Stores a single link; links that arrive together share their statements. */
export type StoreLink = (link: PreparedLink) => Promise<LinkWithTags>;
