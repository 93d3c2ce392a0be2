import { parseHost } from '../rules/host.ts';
import { memoize } from '../structures/memoize.ts';

/** Memoized: parsing costs more than a lookup. */
const parsedName = memoize(1_000, (header): string | null => parseHost(header)?.name ?? null);

/** Most requests name the same host as the one before: comparing the two takes less than a lookup. */
let latestHeader = '';
let latestName: string | null = null;

/** The name in a Host header; null for a header that names no usable host. */
export function hostName(header: string): string | null {
  if (header === latestHeader) return latestName;
  const name = parsedName(header);
  latestHeader = header;
  latestName = name;
  return name;
}
