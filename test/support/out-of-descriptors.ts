/** Preloaded into the server: SIGUSR2 takes all remaining file descriptors, the next SIGUSR2 releases them. */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { isMainThread } from 'node:worker_threads';

const taken: number[] = [];

function takeAll(): void {
  try {
    for (;;) taken.push(openSync(devNull, 'r'));
  } catch {
    // None is left. Those that others release are taken, too.
  }
}

if (isMainThread) {
  let taking: Timer | undefined;
  process.on('SIGUSR2', () => {
    if (taking === undefined) {
      takeAll();
      taking = setInterval(takeAll, 1);
      process.stderr.write('{"event":"descriptors taken"}\n');
    } else {
      clearInterval(taking);
      taking = undefined;
      for (const descriptor of taken.splice(0)) closeSync(descriptor);
      process.stderr.write('{"event":"descriptors given back"}\n');
    }
  });
}
