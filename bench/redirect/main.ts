import { earlierVersion } from '../earlier-version.ts';
import { isQuickRun, printLine, printMachine, requestedParts, resultsIn, storeResults } from '../results.ts';
import { measureCold } from './cold.ts';
import { full, quick } from './effort.ts';
import { measureHot } from './hot.ts';
import { measureLatency } from './latency.ts';
import { measureMillion } from './million.ts';
import { writePages } from './pages.ts';
import { printCold, printLatency, printMeasured, printWorkers } from './print-results.ts';
import { measureRules } from './rules.ts';
import { measureTls } from './tls.ts';
import { requireTools } from './tools.ts';
import { measureWorkers } from './workers.ts';

requireTools();
const effort = isQuickRun ? quick : full;
const machine = printMachine();

const parts = {
  async hot() {
    const measured = await measureHot(effort);
    printMeasured('One link', measured);
    return measured;
  },
  async million() {
    const measured = await measureMillion(effort, 'drawn');
    printMeasured(`${effort.many.toLocaleString('en-US')} links, visited by Zipf (s = 1)`, measured);
    return measured;
  },
  async million_repeated() {
    const measured = await measureMillion(effort, 'repeated');
    printMeasured(
      `${effort.many.toLocaleString('en-US')} links, the same visits by Zipf in each round`,
      measured,
    );
    return measured;
  },
  async cold() {
    const measured = await measureCold(effort);
    printCold(measured);
    return measured;
  },
  async workers() {
    const measured = await measureWorkers(effort);
    printWorkers(measured);
    return measured;
  },
  async tls() {
    const measured = await measureTls(effort);
    printMeasured('Over TLS, on kept connections', measured.kept);
    printMeasured('Over TLS, with a handshake for each request', measured.fresh);
    return measured;
  },
  async rules() {
    const measured = await measureRules(effort);
    printMeasured('A link with ten rules', measured, 'to no rules');
    return measured;
  },
  async latency() {
    const measured = await measureLatency(effort);
    printLatency(measured);
    return measured;
  },
};

const requested = requestedParts(parts);
const resultsFile = resultsIn('redirect');
const earlierResults: Record<string, unknown> = (await resultsFile.exists()) ? await resultsFile.json() : {};
if (process.argv.includes('--pages')) {
  await writePages(earlierResults);
  process.exit(0);
}
const figures: Record<string, unknown> = {};
for (const [name, measure] of Object.entries(parts)) {
  if (requested.length > 0 && !requested.includes(name)) continue;
  figures[name] = { date: new Date().toISOString(), machine, figures: await measure() };
}
if (!effort.isQuick && earlierVersion === null) {
  const all = { ...earlierResults, ...figures };
  await storeResults('redirect', all);
  await writePages(all);
  printLine('Stored in bench/results/redirect.json, and written to docs/performance.md.');
}
process.exit(0);
