import { ownText } from '../rules/text.ts';
import { BoundedCache } from './bounded-cache.ts';

/** Characters. A longer key is rarely repeated. */
export const maxKeyLength = 1_024;
/** Characters of a key that weigh as one entry: fewer entries of long keys fit. */
const usualKey = 192;

const weightOf = (key: string): number => Math.max(usualKey, key.length);

/** The same function, which caches up to `max` results. They are computed from a copy, so that none keeps a longer text alive. */
export function memoize<T>(max: number, make: (key: string) => T): (key: string) => T {
  const cache = new BoundedCache<T>(max * usualKey, weightOf);
  return (key) => {
    const found = cache.get(key);
    if (found !== undefined) return found;
    const made = make(ownText(key));
    if (key.length <= maxKeyLength) cache.set(key, made);
    return made;
  };
}
