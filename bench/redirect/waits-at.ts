import { join } from 'node:path';
import { killOnExit } from '../exit-cleanup.ts';
import { loadCore } from './cores.ts';
import type { Latencies, Rate } from './open-loop.ts';
import { toolPath } from './tools.ts';

/** The latency of visits at this rate, measured on the load generator's core. */
export async function latenciesAt(rate: Rate): Promise<Latencies> {
  const script = join(import.meta.dir, 'open-loop.ts');
  const command = [toolPath('taskset'), '-c', loadCore, process.execPath, script, JSON.stringify(rate)];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' });
  killOnExit(child);
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error('the load generator failed');
  return JSON.parse(output);
}
