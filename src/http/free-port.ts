import type { Config } from '../config/options.ts';
import { portProblem } from './port-problem.ts';

/**
 * The port that workers are going to share. Sharing is open to whoever asks for it, so a port that somebody else
 * already has would not be refused to them: that is found out here.
 */
export function freePort(config: Pick<Config, 'port' | 'host'>): number {
  try {
    const listener = Bun.listen({ hostname: config.host, port: config.port, socket: { data() {} } });
    const { port } = listener;
    listener.stop(true);
    return port;
  } catch (cause) {
    throw portProblem(config, cause);
  }
}
