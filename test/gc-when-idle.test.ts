import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** What a thread that runs `work` every 100 ms collects and releases within 1.8 seconds. */
async function clearings(work: string): Promise<string> {
  const script = `
    import { collectWhenIdle } from './src/threads/gc-when-idle.ts';
    const collect = Bun.gc;
    const done = [];
    Bun.gc = (isWaitedFor) => {
      done.push('collected');
      return collect(isWaitedFor);
    };
    const used = () => process.threadCpuUsage().user / 1_000;
    const busy = (milliseconds) => {
      for (const end = used() + milliseconds; used() < end; );
    };
    busy(300);
    collectWhenIdle(() => done.push('released'));
    setInterval(() => { ${work} }, 100);
    // What doesn't happen by then is what is tested.
    setTimeout(() => {
      console.log(done.join(', '));
      process.exit();
    }, 1_800);`;
  const child = Bun.spawn([process.execPath, '-e', script], { cwd: join(import.meta.dir, '..') });
  return (await new Response(child.stdout).text()).trim();
}

test('a thread collects garbage once when it is idle, and not while it works', async () => {
  expect(await Promise.all([clearings(''), clearings('busy(40);')])).toEqual(['released, collected', '']);
});
