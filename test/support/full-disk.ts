/** Preloaded into the server: writes to the journal fail with a full disk once the file named by FULL exists. */
import { isMainThread } from 'node:worker_threads';
import { plugin } from 'bun';

const failing = `
import { existsSync } from 'node:fs';
import { realDisk as real } from 'REAL';
export const realDisk = {
  ...real,
  write(...parameters) {
    if (existsSync(process.env.FULL)) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    return real.write(...parameters);
  },
};
`;

if (isMainThread) {
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options: WorkerOptions = {}) {
      super(url, { ...options, preload: [import.meta.path] });
    }
  };
}

plugin({
  name: 'full disk',
  setup(build) {
    build.onLoad({ filter: /journal\/disk\.ts$/ }, ({ path }) => ({
      contents: failing.replace('REAL', `${path}?real`),
      loader: 'ts',
    }));
  },
});
