import type { Config } from '../../config/options.ts';
import { StartProblem } from '../../start-problem.ts';

/** Why the port can't be bound, and what to do about it. */
export function portProblem(
  { port, host }: Pick<Config, 'port' | 'host'>,
  cause: unknown,
  variable: 'PORT' | 'HTTP_PORT' = 'PORT',
): StartProblem {
  const { code, message } = cause as { code?: string; message?: string };
  if (code === 'EADDRINUSE')
    return new StartProblem(
      `Port ${port} on ${host} is taken. Stop what uses it, or choose another, such as ${variable}=${port < 65535 ? port + 1 : 3000}.`,
    );
  if (code === 'EACCES')
    return new StartProblem(
      port === 443 || port === 80
        ? `Port ${port} needs more rights than this user has. Give them to the program (docs/https.md says how), or set ${variable} to one above 1023 that is reached as ${port} from outside.`
        : `Port ${port} needs more rights than this user has. Choose one above 1023, such as ${variable}=3000.`,
    );
  if (code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL')
    return new StartProblem(
      `This machine has no address ${host} to listen on. Set HOST to one that it has, such as 0.0.0.0 for all of IPv4.`,
    );
  if (/ENOTFOUND|EAI_|Failed to listen at/.test(`${code} ${message}`))
    return new StartProblem(
      `Listening on ${host}:${port} failed: that is not an address of this machine. Set HOST to one, such as 127.0.0.1, or 0.0.0.0 for all.`,
    );
  return new StartProblem(
    `Listening on ${host}:${port} failed: ${message ?? code}. Check HOST and ${variable}.`,
  );
}
