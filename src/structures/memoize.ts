import { ownText } from '../rules/text.ts';
import { BoundedCache } from './bounded-cache.ts';

/** Characters. A longer key is rarely repeated. */
export const maxKeyLength = 1_024;
/** A key of up to this many characters counts as one entry; a longer one counts for more. */
const usualKey = 192;

const weightOf = (key: string): number => Math.max(usualKey, key.length);

/** The same function with a cache of up to `max` results. They are computed from a copy, so that none keeps a longer text in memory. */
export function memoize<T>(max: number, compute: (key: string) => T): (key: string) => T {
  const cache = new BoundedCache<T>(max * usualKey, weightOf);
  return (key) => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const result = compute(ownText(key));
    if (key.length <= maxKeyLength) cache.set(key, result);
    return result;
  };
}
