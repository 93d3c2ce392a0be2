/** Preloaded into the server: SIGUSR2 takes all remaining file descriptors, the next SIGUSR2 releases them. */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { isMainThread } from 'node:worker_threads';

const descriptors: number[] = [];

function openAll(): void {
  try {
    for (;;) descriptors.push(openSync(devNull, 'r'));
  } catch {
    // None is left. The interval also takes those that are released later.
  }
}

if (isMainThread) {
  let interval: Timer | undefined;
  process.on('SIGUSR2', () => {
    if (interval === undefined) {
      openAll();
      interval = setInterval(openAll, 1);
      process.stderr.write('{"event":"descriptors taken"}\n');
    } else {
      clearInterval(interval);
      interval = undefined;
      for (const descriptor of descriptors.splice(0)) closeSync(descriptor);
      process.stderr.write('{"event":"descriptors given back"}\n');
    }
  });
}
