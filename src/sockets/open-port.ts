import type { TCPSocketListener } from 'bun';
import { EpollPort } from './epoll-port.ts';
import type { Place, Receiver, VisitorPort } from './port.ts';
import { runtimeEpoll } from './runtime-epoll.ts';
import { openRuntimePort } from './runtime-port.ts';
import { systemCalls } from './system-calls.ts';

/**
 * `direct` by way of the system's own calls, wherever those can be reached: a request costs less. The thread is then still
 * in between for moments in which its timers wait, so it is for threads that do little else.
 */
export type HowSockets = 'direct' | 'runtime';

export function openPort<Connection>(
  place: Place,
  receiver: Receiver<Connection>,
  how: HowSockets,
): VisitorPort {
  const calls = how === 'direct' ? systemCalls() : null;
  if (calls === null) return openRuntimePort(place, receiver);
  const listener: Listener = Bun.listen({ ...place, socket: { data() {} } });
  const runtime = listener.fd === undefined ? null : runtimeEpoll(listener.fd);
  if (listener.fd !== undefined && runtime !== null)
    return new EpollPort(calls, listener, listener.fd, runtime, receiver);
  listener.stop(true);
  return openRuntimePort(place, receiver);
}

/** The runtime tells the number of its file; its types don't know. */
type Listener = TCPSocketListener & { readonly fd?: number };
