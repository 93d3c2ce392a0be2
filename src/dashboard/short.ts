import { signal } from '@preact/signals';
import type { Link } from './api-types.ts';
import { bare } from './words.ts';

/** The own domains whose names are written otherwise than they are sent. */
export const namesOfHosts = signal<ReadonlyMap<string, string>>(new Map());

/** A domain as people write it: without the scheme, in its own script. */
export function hostOf({ domain }: Pick<Link, 'domain'>): string {
  const [, name = '', port = ''] = /^(.*?)(:\d+)?$/.exec(bare(domain)) ?? [];
  return (namesOfHosts.value.get(name) ?? name) + port;
}

/** The address of a link as people write it, to show and to copy; its `url` is the same with escapes. */
export const readableUrl = ({ domain, suffix }: Pick<Link, 'domain' | 'suffix'>): string =>
  `${domain}/${suffix}`;

export const shortOf = (link: Pick<Link, 'domain' | 'suffix'>): string => `${hostOf(link)}/${link.suffix}`;

export const pageOf = ({ id }: Pick<Link, 'id'>): string => `/app/links/${id}`;
