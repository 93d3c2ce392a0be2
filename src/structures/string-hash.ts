/** Random in each process, so that clients can't prepare keys that share a chain. */
const seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;

/** FNV-1a: for keys as short as suffixes it is faster than calling the runtime's hashes. */
export function stringHash(key: string): number {
  let hash = seed;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return hash ^ (hash >>> 15);
}
