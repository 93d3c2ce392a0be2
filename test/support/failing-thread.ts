/** Preloaded into the server: on SIGUSR2 its thread (or threads) that THREAD names fails in the way that DEATH names. */
import { isMainThread } from 'node:worker_threads';

const failures: Record<string, () => void> = {
  'a throw': () => {
    throw new Error('out of order');
  },
  'a promise that was not awaited': () => void Promise.reject(new Error('out of order')),
  'leaving without a word': () => process.exit(0),
};

const channel = new BroadcastChannel('end of the thread');

if (isMainThread) {
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options: WorkerOptions = {}) {
      const isToFail = new RegExp(`/${process.env.THREAD}\\.[jt]s$`).test(String(url));
      super(url, isToFail ? { ...options, preload: [import.meta.path] } : options);
    }
  };
  process.on('SIGUSR2', () => channel.postMessage('now'));
} else {
  channel.onmessage = () => failures[process.env.DEATH ?? '']?.();
}
