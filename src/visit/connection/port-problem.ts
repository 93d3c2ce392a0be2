import type { Config } from '../../config/options.ts';
import { StartProblem } from '../../start-problem.ts';

/** Why the port can't be listened on, and what to do. */
export function portProblem({ port, host }: Pick<Config, 'port' | 'host'>, cause: unknown): StartProblem {
  const { code, message } = cause as { code?: string; message?: string };
  if (code === 'EADDRINUSE')
    return new StartProblem(
      `Port ${port} on ${host} is taken. Stop what uses it, or choose another, such as PORT=${port < 65535 ? port + 1 : 3000}.`,
    );
  if (code === 'EACCES')
    return new StartProblem(`Port ${port} needs more rights than this user has. Choose one above 1023.`);
  return new StartProblem(`Listening on ${host}:${port} failed: ${message ?? code}. Check HOST and PORT.`);
}
