import type { Config } from '../../config/options.ts';
import { portProblem } from './port-problem.ts';

/**
 * Checks that the port which workers are going to share is free, and reserves it for this instance while this process lives. Any
 * process may share a port, so a second set of workers would not be refused it: a socket name, which only one process can hold,
 * refuses them even while no worker listens.
 */
export function reservePort(
  { host, port }: Pick<Config, 'port' | 'host'>,
  variable?: 'PORT' | 'HTTP_PORT',
): number {
  for (let attempt = 1; ; attempt++) {
    const tried = port === 0 ? unusedPort() : port;
    try {
      Bun.listen({ hostname: host, port: tried, socket: { data() {} } }).stop(true);
      if (process.platform === 'linux') reserveName(`\0linnet-workers ${host}:${tried}`);
      return tried;
    } catch (cause) {
      if (port !== 0 || attempt >= maxAttempts) throw portProblem({ host, port: tried }, cause, variable);
    }
  }
}

const maxAttempts = 100;

/**
 * Below the range that systems assign to connections: the workers listen only later, and until then nothing takes it by chance.
 */
const unusedPort = (): number => 20_000 + Math.floor(Math.random() * 12_000);

/** A socket in Linux's abstract namespace: it has no file, and the name is free again when the process has ended. */
function reserveName(unix: string): void {
  Bun.listen({ unix, socket: { open: (caller) => caller.terminate(), data() {} } }).unref();
}
