import { isSuffix, normaliseSuffix } from '../rules/suffix.ts';

/**
 * The suffix that a path names, or null when it can't be one. A trailing slash is ignored. A decoded suffix is validated at
 * once: a line break in it would form the cache key of another domain.
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
