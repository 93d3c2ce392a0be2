import type { Config } from '../../config/options.ts';

/** How many connections there may be at once in this process. */
export interface ConnectionLimits {
  readonly total: number;
  /** Of one network. */
  readonly perNetwork: number;
  /** To the server behind, for requests that aren't answered on the express lane. */
  readonly upstream: number;
  readonly upstreamPerNetwork: number;
}

/** For the journal, the database, up to 128 webhooks, mail, the dashboard's files. A server at rest has about 30 open. */
const minReserve = 96;
const maxReserve = 1_024;
/** A connection takes memory as well: some kilobytes here, and more in the system. */
const maxDefaultTotal = 50_000;
/** Each has a port of its own on the loopback, and those come to an end. */
const maxUpstream = 8_192;
const minTotal = 8;
const minUpstream = 4;

/**
 * Divides the descriptors. A visitor's connection takes one; a request that goes on to the server behind takes two
 * more, our end of that connection and the server's.
 */
export function connectionLimits(
  { maxConnections, maxConnectionsPerNetwork }: Pick<Config, 'maxConnections' | 'maxConnectionsPerNetwork'>,
  descriptors: number,
): ConnectionLimits {
  const reserve = Math.min(Math.max(Math.floor(descriptors / 4), minReserve), maxReserve);
  const available = Math.max(descriptors - reserve, minTotal + 2 * minUpstream);
  const wanted = maxConnections ?? Math.min(Math.floor(available * 0.6), maxDefaultTotal);
  const total = Math.min(wanted, available - 2 * minUpstream);
  const upstream = Math.min(Math.floor((available - total) / 2), total, maxUpstream);
  return {
    total,
    perNetwork: perNetworkOf(maxConnectionsPerNetwork, total),
    upstream,
    upstreamPerNetwork: maxConnectionsPerNetwork === 0 ? upstream : Math.ceil(upstream / 2),
  };
}

function perNetworkOf(given: number | null, total: number): number {
  if (given === 0) return total;
  return Math.min(given ?? Math.ceil(total / 4), total);
}
