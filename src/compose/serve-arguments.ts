import { parseArgs } from 'node:util';
import { shellCommand } from '../bundle/shell-command.ts';
import type { Environment } from '../config/load.ts';
import type { Config } from '../config/options.ts';
import { StartProblem } from '../start-problem.ts';

/** The option that makes a process a worker, with the ports that it shares with the others: `3000,`, or `443,80`. */
const workerOption = 'worker-on-port';

interface ServeArguments {
  /** The host of `serve links.example.com`; null for `serve`. */
  readonly host: string | null;
  /** Only for a worker. */
  readonly ports: Pick<Config, 'port' | 'httpPort'> | null;
  /** The settings, including those implied by the host. */
  readonly environment: Environment;
}

/** The arguments of `serve`: a host means built-in HTTPS for that host, unless the environment says otherwise. */
export function readServeArguments(words: readonly string[], environment: Environment): ServeArguments {
  const { host, given } = parsed(words);
  return {
    host,
    ports: given === null ? null : portsOf(given),
    environment: host === null ? environment : { ...environment, ...settingsFor(host, environment) },
  };
}

/** The arguments that start a worker of this server. */
export const workerArguments = (host: string | null, ports: string): string[] => [
  'serve',
  ...(host === null ? [] : [host]),
  `--${workerOption}=${ports}`,
];

function parsed(words: readonly string[]): { host: string | null; given: string | null } {
  try {
    const options = { [workerOption]: { type: 'string' } } as const;
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    const [host = null, ...more] = positionals;
    if (more.length > 0) throw new Error('one host at most');
    return { host, given: values[workerOption] ?? null };
  } catch {
    throw new StartProblem(
      `"serve" takes a host and nothing else, and was given "${words.join(' ')}". Settings come from the environment, such as PORT=8080 ${shellCommand('serve')}.`,
    );
  }
}

function portsOf(given: string): Pick<Config, 'port' | 'httpPort'> {
  const [port = '', httpPort = ''] = given.split(',');
  return { port: Number(port), httpPort: httpPort === '' ? null : Number(httpPort) };
}

function settingsFor(host: string, { BASE_URL = '', HTTPS = '' }: Environment): Record<string, string> {
  const url = URL.parse(`https://${host}`);
  // Letters of any script: the address has them in their DNS form.
  if (url === null || /[^\p{L}\p{M}\p{N}.:_*[\]-]/u.test(host))
    throw new StartProblem(`"${host}" is no host. Give its name alone, such as links.example.com.`);
  if (BASE_URL !== '' && BASE_URL !== url.origin)
    throw new StartProblem(
      `BASE_URL is "${BASE_URL}", and "serve" was given ${host}. Leave one of them out.`,
    );
  return { BASE_URL: url.origin, HTTPS: HTTPS === '' ? 'auto' : HTTPS };
}
