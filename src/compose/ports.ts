import { AppServer } from '../http/app-server.ts';
import { ClientByPort } from '../http/client-by-port.ts';
import { MissLimit } from '../visit/miss-limit.ts';
import type { Start } from './start.ts';
import type { StartVisitors, Visitors } from './visitors.ts';

interface Ports {
  readonly appServer: AppServer;
  readonly visitors: Visitors;
  readonly misses: MissLimit;
}

/** The visitors' port and the server behind it. Until they are opened, whoever comes is told to come back. */
export async function takePorts(
  { config, overrides, log, now, opened }: Start,
  startVisitors: StartVisitors,
): Promise<Ports> {
  const clientByPort = new ClientByPort();
  const appServer = new AppServer(clientByPort, (cause) => log.error('request failed', cause));
  opened.defer(() => appServer.stop(0));
  const misses = new MissLimit(config.missLimit, now);
  const behind = { port: appServer.port, clientByPort, misses: misses.memory };
  const visitors = await startVisitors(config, behind, overrides, log);
  opened.defer(() => visitors.close());
  return { appServer, visitors, misses };
}
