import type { Config } from '../../config/options.ts';

/** The maximum numbers of connections of this process. */
export interface ConnectionLimits {
  readonly total: number;
  /** From one network. */
  readonly perNetwork: number;
  /** To the app server, for requests that aren't answered on the fast path. */
  readonly upstream: number;
  readonly upstreamPerNetwork: number;
}

/** Descriptors for the journal, the database, up to 128 webhooks, mail and the dashboard's files. An idle server has about 30 open. */
const minReserve = 96;
const maxReserve = 1_024;
/** A connection takes memory as well: some kilobytes in this process, and more in the kernel. */
const maxDefaultTotal = 50_000;
/** Each takes a loopback port, of which there are not many more. */
const maxUpstream = 8_192;
const minTotal = 8;
const minUpstream = 4;

/**
 * Divides the file descriptors. A visitor's connection takes one; a request for the app server takes two more, one for each end
 * of the upstream connection.
 */
export function connectionLimits(
  { maxConnections, maxConnectionsPerNetwork }: Pick<Config, 'maxConnections' | 'maxConnectionsPerNetwork'>,
  descriptors: number,
): ConnectionLimits {
  const reserve = Math.min(Math.max(Math.floor(descriptors / 4), minReserve), maxReserve);
  const available = Math.max(descriptors - reserve, minTotal + 2 * minUpstream);
  const requested = maxConnections ?? Math.min(Math.floor(available * 0.6), maxDefaultTotal);
  const total = Math.min(requested, available - 2 * minUpstream);
  const upstream = Math.min(Math.floor((available - total) / 2), total, maxUpstream);
  return {
    total,
    perNetwork: perNetworkOf(maxConnectionsPerNetwork, total),
    upstream,
    upstreamPerNetwork: maxConnectionsPerNetwork === 0 ? upstream : Math.ceil(upstream / 2),
  };
}

function perNetworkOf(configured: number | null, total: number): number {
  if (configured === 0) return total;
  return Math.min(configured ?? Math.ceil(total / 4), total);
}
