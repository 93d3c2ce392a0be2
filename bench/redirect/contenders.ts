import { join } from 'node:path';
import startEnvironment from '../../scripts/start-environment.json' with { type: 'json' };
import type { Destination, NginxSetup } from './nginx.ts';

/** What is measured: a command that starts it, and where it then answers. */
export interface Contender {
  readonly name: string;
  /** In one sentence, for the reader of the table. */
  readonly what: string;
  readonly command: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly port: number;
  /** It speaks TLS, with a self-signed certificate. */
  readonly isSecure?: boolean;
}

const bench = join(import.meta.dir, '..');
const bun = process.execPath;

export const recordingCommand = [bun, join(bench, 'recording-program.ts')];
export const linnetCommand = [bun, join(bench, '..', 'src', 'main.ts'), 'serve'];

/** Where everything that a contender needs lies, made before it starts. */
export interface Ground {
  /** A data folder with the links, of its own for each. */
  readonly dataDir: (name: string) => string;
  /** Without `workers` as it comes; with them, so many processes each take connections of their own at the port. */
  readonly nginxConfig: (port: number, workers?: number, tls?: NginxSetup['tls']) => string;
  readonly nginx: string;
  readonly destination: Destination;
}

/** As `npm start` runs it. */
export const linnet = (port: number, dataDir: string, more: Record<string, string> = {}) => ({
  ...startEnvironment,
  PORT: String(port),
  DATA_DIR: dataDir,
  MISS_LIMIT: '0',
  ...more,
});

export const nginxCommand = ({ nginx, nginxConfig }: Ground, port: number, workers?: number) =>
  [nginx, '-c', nginxConfig(port, workers), '-g', 'daemon off;'] as const;

/**
 * Peers are added by a line: how to start it, and the port at which it answers `/<suffix>` of the links in
 * `dataDir`, or of a list that the command makes out of it.
 */
export const contenders = (ground: Ground): readonly Contender[] => [
  {
    name: 'nginx',
    what: 'nginx with the links in a `map`, and its access_log on.',
    command: nginxCommand(ground, 3901),
    port: 3901,
  },
  {
    name: 'Linnet',
    what: 'The product with its defaults: every click journalled before its answer, and folded into the store meanwhile.',
    command: linnetCommand,
    settings: linnet(3902, ground.dataDir('whole')),
    port: 3902,
  },
  {
    name: 'Linnet, fold held back',
    what: 'The same, but clicks stay in the journal: what the answer itself costs. Not how it runs.',
    command: recordingCommand,
    settings: linnet(3903, ground.dataDir('unfolded'), { HITS: 'unfolded' }),
    port: 3903,
  },
  {
    name: 'Linnet, clicks dropped',
    what: 'The same, but nothing is recorded at all. Not how it runs.',
    command: recordingCommand,
    settings: linnet(3904, ground.dataDir('dropped'), { HITS: 'dropped' }),
    port: 3904,
  },
  {
    name: 'bare Bun.serve',
    what: 'A static route of the runtime, which knows one answer and records nothing.',
    command: [bun, join(bench, 'redirect', 'bare-route.ts')],
    settings: { PORT: '3905', ...ground.destination },
    port: 3905,
  },
  {
    name: 'bare socket',
    what: 'A socket that sends the same bytes whatever it is sent: what the system alone takes.',
    command: [bun, join(bench, 'redirect', 'bare-socket.ts')],
    settings: { PORT: '3906', ...ground.destination },
    port: 3906,
  },
];
