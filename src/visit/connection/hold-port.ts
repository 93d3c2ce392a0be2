import type { Config } from '../../config/options.ts';
import { portProblem } from './port-problem.ts';

/**
 * The port that workers are going to share, told to be free and kept from other programs of this kind for as long as this
 * process lives. Sharing is open to every process that asks for it, so a second set of workers would not be refused
 * the port: the name, which only one can have, refuses it also while none of the workers listens.
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

/** A socket in the kernel's own name space: there is no file, and the name is free again when the process is gone. */
function holdName(unix: string): void {
  Bun.listen({ unix, socket: { open: (caller) => caller.terminate(), data() {} } }).unref();
}
