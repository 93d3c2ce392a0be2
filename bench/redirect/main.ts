import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { machineFacts } from '../machine.ts';
import { measureCold } from './cold.ts';
import { glance, whole } from './effort.ts';
import { measureHot } from './hot.ts';
import { measureLatency } from './latency.ts';
import { measureMillion } from './million.ts';
import { writePages } from './pages.ts';
import { measureRules } from './rules.ts';
import { say, sayCold, sayLatency, sayMeasured, sayWorkers } from './say.ts';
import { measureTls } from './tls.ts';
import { requireTools } from './tools.ts';
import { measureWorkers } from './workers.ts';

const results = join(import.meta.dir, '..', 'results', 'redirect.json');

requireTools();
const effort = process.argv.includes('--quick') ? glance : whole;
const machine = machineFacts();
say(
  `${Object.entries(machine)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
    .join(', ')}\n`,
);
if (effort.isQuick)
  say('A quick look: it shows that the bench works. Its figures are not worth keeping, and are not kept.\n');

const parts = {
  async hot() {
    const measured = await measureHot(effort);
    sayMeasured('One link, visited again and again', measured);
    return measured;
  },
  async million() {
    const measured = await measureMillion(effort);
    sayMeasured(`${effort.many.toLocaleString('en-US')} links, visited by Zipf (s = 1)`, measured);
    return measured;
  },
  async cold() {
    const measured = await measureCold(effort);
    sayCold(measured);
    return measured;
  },
  async workers() {
    const measured = await measureWorkers(effort);
    sayWorkers(measured);
    return measured;
  },
  async tls() {
    const measured = await measureTls(effort);
    sayMeasured('Over TLS, on connections that are kept', measured.kept);
    sayMeasured('Over TLS, each with a handshake of its own', measured.fresh);
    return measured;
  },
  async rules() {
    const measured = await measureRules(effort);
    sayMeasured('A link with ten rules', measured, 'to no rules');
    return measured;
  },
  async latency() {
    const measured = await measureLatency(effort);
    sayLatency(measured);
    return measured;
  },
};

/** Named on the command line: `npm run bench:redirect -- hot cold`. */
const asked = process.argv.slice(2).filter((word) => word in parts);
const kept = Bun.file(results);
const before: Record<string, unknown> = (await kept.exists()) ? await kept.json() : {};
if (process.argv.includes('--pages')) {
  await writePages(before);
  process.exit(0);
}
const figures: Record<string, unknown> = {};
for (const [name, measure] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  figures[name] = { date: new Date().toISOString(), machine, figures: await measure() };
}
if (!effort.isQuick) {
  const all = { ...before, ...figures };
  await mkdir(join(results, '..'), { recursive: true });
  await Bun.write(results, `${JSON.stringify(all, rounded, 2)}\n`);
  await writePages(all);
  say('Kept in bench/results/redirect.json, and written into docs/performance.md.');
}
process.exit(0);

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}
