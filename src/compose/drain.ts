import type { AppServer } from '../http/app-server.ts';
import type { Listener } from '../visit/connection/listener.ts';

const timeout = 10_000;

/** Accepts no new requests, and lets pending ones finish within a deadline. */
export async function drain(
  listener: Pick<Listener, 'stopAccepting' | 'endConnections'>,
  appServer: AppServer,
): Promise<void> {
  const deadline = performance.now() + timeout;
  await listener.stopAccepting(timeout);
  await appServer.stop(Math.max(0, deadline - performance.now()));
  await listener.endConnections();
}
