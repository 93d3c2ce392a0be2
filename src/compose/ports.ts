import { AppServer } from '../http/app-server.ts';
import { ClientByPort } from '../http/client-by-port.ts';
import { MissLimit } from '../visit/miss-limit.ts';
import type { Start } from './start.ts';
import type { StartVisitors, Visitors } from './visitors.ts';

interface Ports {
  readonly inner: AppServer;
  readonly visitors: Visitors;
  readonly misses: MissLimit;
}

/** The visitors' port and the server behind it. Until they are opened, whoever comes is told to come back. */
export async function takePorts(
  { config, overrides, log, now, opened }: Start,
  startVisitors: StartVisitors,
): Promise<Ports> {
  const peers = new ClientByPort();
  const inner = new AppServer(peers, (cause) => log.error('request failed', cause));
  opened.defer(() => inner.stop(0));
  const misses = new MissLimit(config.missLimit, now);
  const behind = { port: inner.port, peers, misses: misses.memory };
  const visitors = await startVisitors(config, behind, overrides, log);
  opened.defer(() => visitors.close());
  return { inner, visitors, misses };
}
