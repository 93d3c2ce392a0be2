/** Preloaded into the server: on SIGUSR2 it opens files until the process has no free file descriptors. */
import { openSync } from 'node:fs';

process.on('SIGUSR2', () => {
  let opened = 0;
  try {
    for (; opened < 1_000_000; opened++) openSync('/dev/null', 'r');
  } catch {
    process.stdout.write(`has opened ${opened} files\n`);
  }
});
