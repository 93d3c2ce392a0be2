import { expect, test } from 'bun:test';
import { repeatJob } from './repeat-job.ts';

const hour = 3_600_000;
const fail = (cause: unknown) => {
  throw cause;
};

test('a job runs at once, or after its delay', async () => {
  const runs: string[] = [];
  const { promise: ran, resolve } = Promise.withResolvers<void>();
  const atOnce = repeatJob(async () => void runs.push('at once'), hour, fail);
  const later = repeatJob(
    async () => {
      runs.push('later');
      resolve();
    },
    hour,
    fail,
    5,
  );
  expect(runs).toEqual(['at once']);
  await ran;
  expect(runs).toEqual(['at once', 'later']);
  await Promise.all([atOnce.stop(), later.stop()]);
});

test('a job that is stopped before its first run never runs', async () => {
  let runs = 0;
  const job = repeatJob(async () => void runs++, hour, fail, 5);
  await job.stop();
  const { promise: passed, resolve } = Promise.withResolvers<void>();
  const next = repeatJob(async () => resolve(), hour, fail, 10);
  await passed;
  await next.stop();
  expect(runs).toBe(0);
});

test('a stop waits for the run that has begun', async () => {
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  let hasEnded = false;
  const job = repeatJob(
    async () => {
      await mayEnd;
      hasEnded = true;
    },
    hour,
    fail,
  );
  const stopped = job.stop();
  end();
  await stopped;
  expect(hasEnded).toBe(true);
});
