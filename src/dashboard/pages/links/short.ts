import type { Link } from '../../api-types.ts';
import { bare } from '../../words.ts';

/** A short link as people read it: without the scheme, in its own script. */
export const shortOf = ({ domain, suffix }: Pick<Link, 'domain' | 'suffix'>): string =>
  `${bare(domain)}/${suffix}`;

export const pageOf = ({ id }: Pick<Link, 'id'>): string => `/app/links/${id}`;
