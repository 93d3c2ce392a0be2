import { BoundedCache } from '../structures/bounded-cache.ts';
import type { Secrets } from './secrets.ts';

const macLength = 32;
const form = /^lnz_([1-9]\d{0,15})_([\w-]{32})$/;

/** Characters of cached keys: of some twenty thousand links. Without it a page of links takes 4 % more CPU. */
const maxCached = 1024 * 1024;
const caches = new WeakMap<Secrets, BoundedCache<string>>();

/** A secret of the link's own: it authorises Zapier's calls for this link, and isn't stored. */
export function zapierKey(secrets: Secrets, linkId: number): string {
  const cache = cacheFor(secrets);
  const id = String(linkId);
  const cached = cache.get(id);
  if (cached !== undefined) return cached;
  const key = `lnz_${id}_${secrets.sign('zapier', id, macLength)}`;
  cache.set(id, key);
  return key;
}

function cacheFor(secrets: Secrets): BoundedCache<string> {
  const existing = caches.get(secrets);
  if (existing !== undefined) return existing;
  const created = new BoundedCache<string>(maxCached, (id, key) => id.length + key.length);
  caches.set(secrets, created);
  return created;
}

/** The link of a key, or null for a key that was never issued. */
export function linkOfZapierKey(secrets: Secrets, key: string): number | null {
  const [, linkId = '', mac = ''] = form.exec(key) ?? [];
  return linkId !== '' && secrets.verify('zapier', linkId, mac) ? Number(linkId) : null;
}
