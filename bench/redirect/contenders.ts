import { join } from 'node:path';
import startEnvironment from '../../scripts/start-environment.json' with { type: 'json' };
import { earlierVersion } from '../earlier-version.ts';
import type { Destination, NginxSetup } from './nginx.ts';

/** A program to measure: the command that starts it, and the port that it listens on. */
export interface Contender {
  readonly name: string;
  /** One sentence for readers of the table. */
  readonly what: string;
  readonly command: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
  readonly port: number;
  /** Whether it uses TLS, with a self-signed certificate. */
  readonly isSecure?: boolean;
}

const bench = join(import.meta.dir, '..');
const bun = process.execPath;

export const recordingCommand = [bun, join(bench, 'recording-program.ts')];
export const linnetCommand = [bun, join(bench, '..', 'src', 'main.ts'), 'serve'];

/** Everything that contenders need, created before they start. */
export interface Fixture {
  /** Creates a data folder with the links. */
  readonly dataDir: (name: string) => string;
  /** With `workers`, this many processes, each accepting its own connections on the port; otherwise the default. */
  readonly nginxConfig: (port: number, workers?: number, tls?: NginxSetup['tls']) => string;
  readonly nginx: string;
  readonly destination: Destination;
}

export const earlierName = 'Linnet before';

/** The settings of `npm start`. */
export const linnetSettings = (port: number, dataDir: string, more: Record<string, string> = {}) => ({
  ...startEnvironment,
  PORT: String(port),
  DATA_DIR: dataDir,
  MISS_LIMIT: '0',
  ...more,
});

export const nginxCommand = ({ nginx, nginxConfig }: Fixture, port: number, workers?: number) =>
  [nginx, '-c', nginxConfig(port, workers), '-g', 'daemon off;'] as const;

/**
 * To add another server, add an entry: how to start it, and the port on which it answers `/<suffix>` for the links in `dataDir`, or
 * in a list that the command makes from it.
 */
export const contenders = (fixture: Fixture): readonly Contender[] => [
  ...contendersOfThisVersion(fixture),
  ...(earlierVersion === null ? [] : [earlierContender(fixture, earlierVersion)]),
];

/** As its own `npm start` runs it. */
const earlierContender = (fixture: Fixture, folder: string): Contender => ({
  name: earlierName,
  what: 'The version in the folder that was named, with its defaults.',
  command: ['node', join(folder, 'scripts', 'launch.mjs'), 'start'],
  settings: { PORT: '3907', DATA_DIR: fixture.dataDir('before'), MISS_LIMIT: '0' },
  port: 3907,
});

const contendersOfThisVersion = (fixture: Fixture): readonly Contender[] => [
  {
    name: 'nginx',
    what: 'nginx with the links in a `map`, and its access_log on.',
    command: nginxCommand(fixture, 3901),
    port: 3901,
  },
  {
    name: 'Linnet',
    what: 'Linnet with its defaults: every click is journalled before its answer, and folded into the store meanwhile.',
    command: linnetCommand,
    settings: linnetSettings(3902, fixture.dataDir('whole')),
    port: 3902,
  },
  {
    name: 'Linnet, fold held back',
    what: 'The same, but clicks stay in the journal: the cost of the answer alone. For comparison only.',
    command: recordingCommand,
    settings: linnetSettings(3903, fixture.dataDir('unfolded'), { HITS: 'unfolded' }),
    port: 3903,
  },
  {
    name: 'Linnet, clicks dropped',
    what: 'The same, but nothing is recorded. For comparison only.',
    command: recordingCommand,
    settings: linnetSettings(3904, fixture.dataDir('dropped'), { HITS: 'dropped' }),
    port: 3904,
  },
  {
    name: 'bare Bun.serve',
    what: 'A static route of Bun’s server: one fixed answer, nothing recorded.',
    command: [bun, join(bench, 'redirect', 'bare-route.ts')],
    settings: { PORT: '3905', ...fixture.destination },
    port: 3905,
  },
  {
    name: 'bare socket',
    what: 'A socket that always sends the same bytes: the cost of the system alone.',
    command: [bun, join(bench, 'redirect', 'bare-socket.ts')],
    settings: { PORT: '3906', ...fixture.destination },
    port: 3906,
  },
];
