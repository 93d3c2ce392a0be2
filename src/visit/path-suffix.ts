import { isSuffix, normaliseSuffix } from '../rules/suffix.ts';

/**
 * The suffix that a path names, or null when it can't be one. A slash at the end is what people add. What was encoded
 * is checked at once: a line break in it would be read as another domain's key by the cache.
 */
export function suffixOf(path: string): string | null {
  const raw = path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  if (raw === '') return null;
  if (!raw.includes('%')) return raw;
  try {
    const suffix = normaliseSuffix(decodeURIComponent(raw));
    return isSuffix(suffix) ? suffix : null;
  } catch {
    return null;
  }
}
