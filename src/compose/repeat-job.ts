import { StoreUnavailable } from '../rules/errors.ts';
import type { Log } from '../telemetry/log.ts';
import { type JobInterval, jobIntervals } from './job-intervals.ts';
import type { Start } from './start.ts';

/** Runs a job now, and again `interval` milliseconds after the end of each run. */
export function repeatJob(work: () => Promise<void>, interval: number, onFault: (cause: unknown) => void) {
  let timer: Timer | undefined;
  let isStopped = false;
  const run = async (): Promise<void> => {
    await work().catch(onFault);
    if (!isStopped) timer = setTimeout(start, interval);
  };
  let running = run();
  const start = () => {
    running = run();
  };
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Repeats a job until what is `opened` is closed. `interval`: in milliseconds, or its name. */
export function repeatWhileOpen(
  { opened, overrides }: Pick<Start, 'opened' | 'overrides'>,
  work: () => Promise<void>,
  interval: number | JobInterval,
  onFault: (cause: unknown) => void = () => {},
): void {
  const pause = typeof interval === 'number' ? interval : (overrides[interval] ?? jobIntervals[interval]);
  const job = repeatJob(work, pause, onFault);
  opened.defer(() => job.stop());
}

/** Logs why a job failed. That the store is down is already logged by the follower of the change feed. */
export const logFault =
  (log: Log, event: string) =>
  (cause: unknown): void => {
    if (!(cause instanceof StoreUnavailable)) log.error(event, cause);
  };
