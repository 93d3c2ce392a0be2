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
