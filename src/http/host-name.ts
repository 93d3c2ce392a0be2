import { parseHost } from '../rules/host.ts';
import { memoize } from '../structures/memoize.ts';

/** The name in a Host header; null for a header that names no usable host. Memoized: parsing costs more than a lookup. */
export const hostName = memoize(1_000, (header): string | null => parseHost(header)?.name ?? null);
