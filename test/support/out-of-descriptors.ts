/** Preloaded into the server: SIGUSR2 takes all remaining file descriptors, the next SIGUSR2 releases them. */
import { isMainThread } from 'node:worker_threads';
import { releaseDescriptors, takeDescriptors } from './free-descriptors.ts';

if (isMainThread) {
  let interval: Timer | undefined;
  process.on('SIGUSR2', () => {
    if (interval === undefined) {
      takeDescriptors();
      // Also takes those that are released later.
      interval = setInterval(takeDescriptors, 1);
      process.stderr.write('{"event":"descriptors taken"}\n');
    } else {
      clearInterval(interval);
      interval = undefined;
      releaseDescriptors();
      process.stderr.write('{"event":"descriptors given back"}\n');
    }
  });
}
