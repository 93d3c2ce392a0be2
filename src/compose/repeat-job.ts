export type Repeat = (work: () => Promise<void>, interval: number, onFault: (cause: unknown) => void) => void;

/** Runs a job after `delay` milliseconds, and again `interval` milliseconds after the end of each run. */
export function repeatJob(
  work: () => Promise<void>,
  interval: number,
  onFault: (cause: unknown) => void,
  delay = 0,
) {
  let timer: Timer | undefined;
  let isStopped = false;
  const run = async (): Promise<void> => {
    await work().catch(onFault);
    if (!isStopped) timer = setTimeout(start, interval);
  };
  let running = Promise.resolve();
  const start = () => {
    running = run();
  };
  if (delay === 0) start();
  else timer = setTimeout(start, delay);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
