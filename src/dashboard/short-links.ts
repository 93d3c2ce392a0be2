import { signal } from '@preact/signals';
import type { Link } from './api-types.ts';
import { withoutScheme } from './format.ts';

/** The Unicode names of own domains, by the ASCII ones. */
export const namesOfHosts = signal<ReadonlyMap<string, string>>(new Map());

/** The domain of a link without its scheme, in Unicode. */
export function hostOf({ domain }: Pick<Link, 'domain'>): string {
  const [, name = '', port = ''] = /^(.*?)(:\d+)?$/.exec(withoutScheme(domain)) ?? [];
  return (namesOfHosts.value.get(name) ?? name) + port;
}

/** The address of a link to show and to copy; its `url` is the same with escapes. */
export const readableUrl = ({ domain, suffix }: Pick<Link, 'domain' | 'suffix'>): string =>
  `${domain}/${suffix}`;

export const shortOf = (link: Pick<Link, 'domain' | 'suffix'>): string => `${hostOf(link)}/${link.suffix}`;

export const pageOf = ({ id }: Pick<Link, 'id'>): string => `/app/links/${id}`;

function decoded(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}

/** The address of a link or an alias as people write it: without its scheme, its domain in Unicode, and nothing percent-encoded. */
export function readableAddress(url: string): string {
  const [, domain = url, path = ''] = /^(https?:\/\/[^/]+)(.*)$/.exec(url) ?? [];
  return hostOf({ domain }) + decoded(path);
}

const withoutPort = (host: string): string => host.replace(/:\d+$/, '');

/** What a search looks for: of a pasted short link only the suffix, as links are not found by their domain. */
export function searchedText(text: string, serviceDomain: string): string {
  const [, host = '', path = ''] =
    /^(?:https?:\/\/)?([^/?#\s]+)\/([^?#\s]+?)\/?(?:[?#].*)?$/i.exec(text.trim()) ?? [];
  const hosts = [serviceDomain, ...[...namesOfHosts.value].flat()].map(withoutPort);
  return path !== '' && hosts.includes(withoutPort(host.toLowerCase())) ? decoded(path) : text;
}

/** The name of a link; null if it has none, or one of spaces only. */
export const nameOf = ({ name }: Pick<Link, 'name'>): string | null =>
  name === null || name.trim() === '' ? null : name;
