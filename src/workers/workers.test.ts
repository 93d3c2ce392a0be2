import { afterEach, expect, test } from 'bun:test';
import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../test/support/eventually.ts';
import { temporaryFolder } from '../../test/support/program.ts';
import type { Ending } from './supervised-worker.ts';
import { Workers } from './workers.ts';

/** Reports that it is ready, and then waits to be stopped. */
const program = `
  process.send({ greeting: 'ready' });
  process.on('SIGTERM', () => process.exit(0));
  setInterval(() => {}, 1_000);
`;

let workers: Workers | undefined;
afterEach(() => workers?.stop());

test('if the last worker is killed, one is restarted at once, however long the back-off has become', async () => {
  const ended: (number | null)[] = [];
  const pauses: number[] = [];
  const endlessPause = (milliseconds: number) => {
    pauses.push(milliseconds);
    return new Promise<void>(() => {});
  };
  workers = new Workers(3, [process.execPath, '-e', program], ({ pid }) => ended.push(pid), endlessPause);
  expect(await workers.start()).toBe('ready');
  // Every worker but the last enters a back-off that never ends here.
  for (let kills = 1; kills <= 8; kills++) {
    await eventually(() => (workers?.serving.length ?? 0) > 0, 'a worker that serves');
    process.kill(workers.serving[0] as number, 'SIGKILL');
    await eventually(() => ended.length === kills, 'its end');
  }
  await eventually(() => (workers?.serving.length ?? 0) > 0, 'a worker after the last kill');
  expect(pauses).toEqual([100, 100]);
});

test('a worker whose program can not be started for a moment is tried again, and the others serve on', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'bun');
  await copyFile(process.execPath, file);
  const endings: Ending[] = [];
  workers = new Workers(2, [file, '-e', program], (ending) => void endings.push(ending));
  expect(await workers.start()).toBe('ready');
  await rename(file, `${file}.away`);
  process.kill(workers.serving[0] as number, 'SIGKILL');
  await eventually(() => endings.length >= 3, 'attempts');
  expect(workers.serving).toHaveLength(1);
  expect(endings[0]).toMatchObject({ pid: expect.any(Number), signal: 'SIGKILL' });
  expect(endings[1]).toMatchObject({ pid: null, error: expect.stringContaining('ENOENT') });
  await rename(`${file}.away`, file);
  await eventually(() => workers?.serving.length === 2, 'both workers');
});

test('no worker is started after a stop, even if the first one becomes ready while it stops', async () => {
  const slowStart = `
    process.on('SIGTERM', () => {
      process.send({ greeting: 'ready' });
      setTimeout(() => process.exit(0), 50);
    });
    process.send('started');
    setInterval(() => {}, 1_000);
  `;
  const started = Promise.withResolvers<void>();
  const pids = new Set<number>();
  const note = (pid: number) => {
    pids.add(pid);
    started.resolve();
  };
  workers = new Workers(
    3,
    [process.execPath, '-e', slowStart],
    () => {},
    () => Promise.resolve(),
    note,
  );
  const starting = workers.start();
  await started.promise;
  await workers.stop();
  expect(await starting).toBeNull();
  expect(pids.size).toBe(1);
});
