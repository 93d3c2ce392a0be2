import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** Whether a thread that runs `work` every 100 ms collects garbage and releases memory within 1.8 seconds. */
async function actionsWith(work: string): Promise<string> {
  const script = `
    import { collectWhenIdle } from './src/threads/gc-when-idle.ts';
    const collect = Bun.gc;
    const actions = [];
    Bun.gc = (force) => {
      actions.push('collected');
      return collect(force);
    };
    const used = () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1_000;
    };
    const busy = (milliseconds) => {
      for (const end = used() + milliseconds; used() < end; );
    };
    busy(210);
    collectWhenIdle(() => actions.push('released'));
    setInterval(() => { ${work} }, 100);
    // The test also expects that nothing happens within this time, so it can't wait for an event.
    setTimeout(() => {
      console.log(actions.join(', '));
      process.exit();
    }, 1_800);`;
  const child = Bun.spawn([process.execPath, '-e', script], { cwd: join(import.meta.dir, '..') });
  return (await new Response(child.stdout).text()).trim();
}

test('a thread collects garbage once when it is idle, and not while it works', async () => {
  expect(await Promise.all([actionsWith(''), actionsWith('busy(10);')])).toEqual(['released, collected', '']);
});
