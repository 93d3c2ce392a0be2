import type { InnerServer } from './inner-server.ts';
import type { OuterServer } from './outer-server.ts';

const patience = 10_000;

/** Lets requests that are under way finish, within a deadline, and takes no new ones. */
export async function drain(
  outer: Pick<OuterServer, 'stopTaking' | 'endConnections'>,
  inner: InnerServer,
): Promise<void> {
  const deadline = performance.now() + patience;
  await outer.stopTaking(patience);
  await inner.stop(Math.max(0, deadline - performance.now()));
  await outer.endConnections();
}
