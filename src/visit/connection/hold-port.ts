import type { Config } from '../../config/options.ts';
import { portProblem } from './port-problem.ts';

/**
 * Checks that the port that workers are going to share is free, and keeps other instances of this program from it while this
 * process lives. Any process may share a port, so a second set of workers would not be refused it: a socket name, which only
 * one process can hold, refuses it even while no worker listens.
 */
export function holdPort({ host, port }: Pick<Config, 'port' | 'host'>): number {
  try {
    const listener = Bun.listen({ hostname: host, port, socket: { data() {} } });
    const free = listener.port;
    listener.stop(true);
    if (process.platform === 'linux') holdName(`\0linnet-workers ${host}:${free}`);
    return free;
  } catch (cause) {
    throw portProblem({ host, port }, cause);
  }
}

/** A socket in Linux's abstract namespace: it has no file, and the name is free again when the process has ended. */
function holdName(unix: string): void {
  Bun.listen({ unix, socket: { open: (caller) => caller.terminate(), data() {} } }).unref();
}
