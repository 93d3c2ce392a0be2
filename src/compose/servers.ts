import { AppServer } from '../http/app-server.ts';
import { ClientByPort } from '../http/client-by-port.ts';
import { MissLimit } from '../visit/miss-limit.ts';
import { accessLogOf } from './access-log.ts';
import type { DataPlane, StartDataPlane } from './data-plane.ts';
import type { Start } from './start.ts';

interface Servers {
  readonly appServer: AppServer;
  readonly dataPlane: DataPlane;
  readonly misses: MissLimit;
}

/** Starts the app server and the data plane. Until they are opened, requests are answered with 503. */
export async function openServers(start: Start, startDataPlane: StartDataPlane): Promise<Servers> {
  const { config, overrides, log, now, opened } = start;
  const clientByPort = new ClientByPort();
  const appServer = new AppServer(clientByPort, (cause) => log.error('request failed', cause), {
    during: (id, run) => log.during(id, run),
    note: accessLogOf(start),
  });
  opened.defer(() => appServer.stop(0));
  const misses = new MissLimit(config.missLimit, now);
  const access = { port: appServer.port, clientByPort, misses: misses.memory };
  const dataPlane = await startDataPlane(config, access, overrides, log);
  opened.defer(() => dataPlane.close());
  return { appServer, dataPlane, misses };
}
