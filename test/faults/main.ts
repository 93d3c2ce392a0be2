/**
 * Runs every known fault on two lanes: prints a line with figures for each, and exits with a failure if a test of
 * one fails. `npm run test:faults -- WORD` runs those with this word in their names.
 */
import { join } from 'node:path';
import { figurePrefix } from '../support/figure.ts';

interface Fault {
  readonly name: string;
  readonly files: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
}

const faults: readonly Fault[] = [
  // Directly, behind nginx and behind Caddy: a hundred in total.
  { name: 'rolling restarts of two workers', files: ['faults/rolling'], settings: { ROUNDS: '34' } },
  { name: 'kill -9 on SQLite', files: ['faults/kill'], settings: { ROUNDS: '500' } },
  { name: 'kill -9 of three nodes on PostgreSQL', files: ['faults/kill-nodes'], settings: { ROUNDS: '100' } },
  {
    name: 'simulation of journal, fold, outbox and feed',
    files: ['faults/simulation'],
    settings: { ROUNDS: '1000' },
  },
  { name: 'kill -9 of single workers', files: ['faults/workers'], settings: { ROUNDS: '100' } },
  {
    name: 'PostgreSQL stopped, frozen, slow, read-only, full',
    files: ['faults/database'],
    settings: { ROUNDS: '1' },
  },
  { name: 'PostgreSQL promoted, nothing lost', files: ['failover', 'redirect-outage'] },
  {
    name: 'PostgreSQL promoted or restored, with a loss',
    files: ['clicks-after-promotion', 'feed-after-promotion'],
  },
  { name: 'journals that are copied', files: ['journal-copies', 'journal-damage'] },
  {
    name: 'disk full, read-only or out of descriptors',
    files: ['faults/disk', 'journal-faults', 'clean-stop', 'out-of-descriptors'],
  },
  { name: 'retention and leftover journals beside counting', files: ['fold-batches'] },
  {
    name: 'clocks that are wrong',
    files: ['faults/clocks', 'hits-from-the-future'],
    settings: { ROUNDS: '1' },
  },
  {
    name: 'clients that are slow or garbled',
    files: ['hostile-requests', 'malformed-requests', 'connection-faults', 'fuzz/streams'],
    settings: { STREAMS: '20000' },
  },
];

const root = join(import.meta.dir, '..', '..');
const filters = process.argv.slice(2);
const queue = faults.filter(({ name }) => filters.every((word) => name.includes(word)));
const lanes = 2;
const began = performance.now();
let failed = 0;

async function run({ name, files, settings = {} }: Fault): Promise<void> {
  const from = performance.now();
  const child = Bun.spawn(
    [process.execPath, 'test', '--timeout', '3600000', ...files.map((file) => `./test/${file}.test.ts`)],
    { cwd: root, env: { ...process.env, ...settings }, stdout: 'pipe', stderr: 'pipe' },
  );
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const [, passed = '0'] = /^\s*(\d+) pass$/m.exec(err) ?? [];
  const [, skipped = '0'] = /^\s*(\d+) skip$/m.exec(err) ?? [];
  const hasPassed = code === 0 && passed !== '0';
  if (!hasPassed) failed += 1;
  const tests = `${passed} tests${skipped === '0' ? '' : `, ${skipped} skipped`}`;
  const seconds = Math.round((performance.now() - from) / 1_000);
  console.info(`${hasPassed ? 'ok    ' : 'FAILED'} ${name}: ${tests}, ${seconds} s`);
  for (const line of out.split('\n'))
    if (line.startsWith(figurePrefix)) console.info(`         ${line.slice(figurePrefix.length)}`);
  if (!hasPassed) process.stderr.write(`${out}\n${err}\n`);
}

async function runLane(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) await run(next);
}

await Promise.all(Array.from({ length: lanes }, runLane));
const minutes = ((performance.now() - began) / 60_000).toFixed(1);
console.info(
  failed === 0 ? `All is well after ${minutes} minutes.` : `${failed} failed, after ${minutes} minutes.`,
);
process.exit(failed === 0 ? 0 : 1);
