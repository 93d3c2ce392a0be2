/** `bun test/simulation/main.ts --seeds=1000 [--from=1]`, or `--seed=N` for one that failed. */
import './replaced.ts';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { seeds: { type: 'string' }, from: { type: 'string' }, seed: { type: 'string' } },
});
const from = Number(values.seed ?? values.from ?? 1);
const seeds = values.seed === undefined ? Number(values.seeds ?? 10) : 1;
/** In memory where possible, because a run writes thousands of small files. */
const parentFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const { migratedSqlite } = await import('../support/migrated-store.ts');
const { replaceGlobals, restoreGlobals, World } = await import('./world.ts');
const { simulateClicks } = await import('./clicks.ts');
const { simulateFeed } = await import('./feed.ts');
const sums: Record<string, number> = {};
let failed = 0;
for (let seed = from; seed < from + seeds; seed++) {
  const world = new World(seed);
  const folder = mkdtempSync(join(parentFolder, 'linnet-simulation-'));
  await migratedSqlite(folder);
  replaceGlobals(world);
  const figures = { ...(await simulateClicks(world, folder)), ...(await simulateFeed(world)) };
  restoreGlobals();
  rmSync(folder, { recursive: true, force: true });
  for (const [name, figure] of Object.entries(figures)) sums[name] = (sums[name] ?? 0) + figure;
  if (values.seed !== undefined) console.info(world.trace.join('\n'));
  if (world.problems.length === 0) continue;
  failed += 1;
  console.error(`seed ${seed}: ${world.problems.slice(0, 5).join('\n  ')}`);
}
console.info(JSON.stringify({ seeds, failed, ...sums }));
process.exit(failed > 0 ? 1 : 0);
