import type { Config } from '../../config/options.ts';
import { portProblem } from './port-problem.ts';

/**
 * Checks that the port which workers are going to share is free, and reserves it for this instance while this process lives. Any
 * process may share a port, so the system would give it to a second set of workers as well: a socket name, which only one
 * process can hold, prevents that even while no worker listens.
 */
export function reservePort(
  { host, port }: Pick<Config, 'port' | 'host'>,
  variable?: 'PORT' | 'HTTP_PORT',
): number {
  for (let attempt = 1; ; attempt++) {
    const candidate = port === 0 ? unusedPort() : port;
    try {
      Bun.listen({ hostname: host, port: candidate, socket: { data() {} } }).stop(true);
      if (process.platform === 'linux') reserveName(`\0linnet-workers ${host}:${candidate}`);
      return candidate;
    } catch (cause) {
      if (port !== 0 || attempt >= maxAttempts) throw portProblem({ host, port: candidate }, cause, variable);
    }
  }
}

const maxAttempts = 100;

/**
 * Below the range of ports that systems assign to outgoing connections, so that none of these takes it before the workers listen.
 */
const unusedPort = (): number => 20_000 + Math.floor(Math.random() * 12_000);

/** A socket in Linux's abstract namespace: it has no file, and the name is free again when the process has ended. */
function reserveName(unix: string): void {
  Bun.listen({ unix, socket: { open: (caller) => caller.terminate(), data() {} } }).unref();
}
