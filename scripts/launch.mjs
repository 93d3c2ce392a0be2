/**
 * Runs the npm scripts: installs missing dependencies, then starts Bun. Plain JavaScript for Node, so that a machine with only Node
 * and npm can run it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const commands = {
  /** Only installs missing dependencies. */
  install: { needs: 'everything' },
  // Settings of the garbage collector: docs/decisions/2026-11-22-memory-at-rest.md has the reasons.
  start: {
    needs: 'production',
    run: ['src/main.ts', 'serve'],
    env: JSON.parse(readFileSync(join(root, 'scripts', 'start-environment.json'), 'utf8')),
  },
  build: { needs: 'production', run: ['scripts/build.ts'] },
  linnet: { needs: 'production', run: ['src/main.ts'] },
  // Returning memory to the system and requesting it again takes a part of the tests' time.
  test: { needs: 'everything', run: ['test', '--timeout', '240000'], env: { MIMALLOC_PURGE_DELAY: '-1' } },
  faults: { needs: 'everything', run: ['test/faults/main.ts'] },
  fuzz: {
    needs: 'everything',
    run: [
      ...['test', '--timeout', '3600000', './test/fuzz/', './test/click-corrections-ledger.test.ts'],
      ...[
        './src/visit/connection/connection-state.test.ts',
        './src/visit/connection/connection-orders.test.ts',
        './src/rules/link-rules/resolve-model.test.ts',
        './src/rules/destinations/destination.test.ts',
      ],
    ],
    env: {
      STREAMS: '100000',
      CONNECTIONS: '300000',
      CALLS: '10000',
      ORDERS: '100000',
      REFRESHES: '1000',
      CORRECTIONS: '100',
      CASES: '1000000',
    },
  },
  scan: {
    needs: 'everything',
    run: ['test', '--timeout', '900000', './test/scan/testssl.test.ts'],
    env: { SCAN: 'yes' },
  },
  bench: { needs: 'everything', run: ['bench/main.ts'] },
  'bench:redirect': { needs: 'everything', run: ['bench/redirect/main.ts'] },
  typecheck: {
    needs: 'everything',
    // The projects are checked at the same time: several threads for each would take a third more CPU.
    tool: ['typescript', 'bin/tsc', '--noEmit', '--singleThreaded', '--project'],
    // A fifth less CPU without collecting garbage, for a fifth more memory.
    env: { GOGC: 'off' },
    // Code for browsers has other globals than code for the server.
    each: ['.', 'src/dashboard', 'test/browser'],
  },
  screenshots: { needs: 'everything', run: ['scripts/screenshots.ts'] },
  client: { needs: 'everything', run: ['scripts/client-types.ts'] },
  lint: { needs: 'everything', tool: ['@biomejs/biome', 'bin/biome', 'check', '.'] },
  format: { needs: 'everything', tool: ['@biomejs/biome', 'bin/biome', 'check', '--write', '.'] },
};

/**
 * The whole suite runs in two processes per core, because many tests wait. With three, calls exceed their time on a
 * slow machine. `test/timings.json` has the order in which the files start: those that cost most first, and those that mostly wait spread among
 * the others. When they all started first, a third of the CPU was idle for forty seconds.
 */
const inParallel = [
  `--parallel=${availableParallelism() * 2}`,
  '--no-isolate',
  '--timings=test/timings.json',
];

const [name, ...rest] = process.argv.slice(2);
const command = commands[name];
if (!command) fail(`There is no command "${name}".`);
process.chdir(root);
installMissing(command.needs);
if (name === 'install') process.exit();
if (command.tool) {
  const [pack, script, ...args] = command.tool;
  const tool = [join('node_modules', pack, script), ...args];
  if (command.each)
    for (const project of command.each) run(process.execPath, [...tool, project], command.env);
  else run(process.execPath, [...tool, ...rest], command.env);
} else {
  // A shard is a part of about the same length for each of several machines: --shard=1/2 and --shard=2/2.
  const isWholeSuite = name === 'test' && rest.every((argument) => argument.startsWith('--shard='));
  const starts = isWholeSuite || name === 'faults';
  const built = starts && !process.env.LINNET_BUILT ? builtProgram() : {};
  run(bun(), [...command.run, ...(isWholeSuite ? inParallel : []), ...rest], { ...command.env, ...built });
}

/** Builds the one file, for tests that start Linnet as a process: its start takes half the CPU time of a checkout's. */
function builtProgram() {
  const folder = mkdtempSync(join(tmpdir(), 'linnet-suite-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const env = { ...process.env, LINNET_DIST: folder };
  const { status } = spawnSync(bun(), ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'], env });
  if (status !== 0) fail('The one file could not be built.');
  const name = readdirSync(folder).find((file) => file.startsWith('linnet-'));
  return { LINNET_BUILT: join(folder, name) };
}

/** Compares npm's record of installed packages with the lockfile. A record of our own could be wrong. */
function installMissing(needs) {
  const locked = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  const installedFile = join('node_modules', '.package-lock.json');
  const installed = existsSync(installedFile) ? JSON.parse(readFileSync(installedFile, 'utf8')).packages : {};
  const missing = Object.entries(locked).filter(
    ([path, { version, dev, optional }]) =>
      path !== '' && !optional && !(dev && needs === 'production') && installed[path]?.version !== version,
  );
  if (missing.length === 0 && bun() !== null) return;
  process.stderr.write('Installing what is missing; this happens once.\n');
  const only = needs === 'production' ? ['--omit=dev'] : [];
  const problem = registryProblem();
  // npm may have everything in its cache, and would retry an unreachable registry for minutes.
  const how = problem === null ? ['--loglevel=error'] : ['--offline', '--loglevel=silent'];
  const done = npm(['ci', ...only, '--no-audit', '--no-fund', ...how], ['ignore', 2, 2]);
  if (done.status !== 0) fail(problem ?? 'The installation failed; see the output of npm above.');
  if (bun() === null) fail('Bun, which runs Linnet, was not installed for this kind of machine.');
}

function npm(args, stdio) {
  return spawnSync('npm', args, { stdio, shell: process.platform === 'win32' });
}

/** Why npm can't install anything, within seconds; null if its registry answers at all. */
function registryProblem() {
  if (npm(['--version'], 'ignore').status !== 0)
    return 'npm was not found. It comes with Node (https://nodejs.org) and installs what Linnet needs: install it, then run the same command again.';
  const ping = npm(['ping', '--fetch-retries=0', '--fetch-timeout=8000'], ['ignore', 'ignore', 'pipe']);
  const said = String(ping.stderr);
  const [, code = ''] = /\bcode (E[A-Z_]+|UNABLE\w+|CERT\w+|DEPTH\w+|SELF\w+)\b/.exec(said) ?? [];
  if (ping.status === 0 || code === '' || /^E\d{3}$/.test(code)) return null;
  const registry = String(npm(['config', 'get', 'registry'], ['ignore', 'pipe', 'ignore']).stdout).trim();
  return `npm can not reach ${registry} (${code}), where it gets what Linnet needs. Check the network, and npm's proxy and registry where you have your own, then run the same command again.`;
}

/** The executable of the `bun` package, or of its platform package if npm ran no install scripts. */
function bun() {
  const platforms = join('node_modules', '@oven');
  const inPackages = existsSync(platforms)
    ? readdirSync(platforms).map((pack) => join(platforms, pack, 'bin', 'bun'))
    : [];
  const paths = [join('node_modules', 'bun', 'bin', 'bun.exe'), ...inPackages];
  return paths.find((path) => existsSync(path) && statSync(path).size > 1_000_000) ?? null;
}

function run(program, args, env = {}) {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...env, ...process.env } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (cause) => fail(`${program} could not be started: ${cause.message}`));
  child.on('exit', (code, signal) => {
    // If several run in parallel, the first failure decides.
    process.exitCode ||= signal ? 1 : code;
  });
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
