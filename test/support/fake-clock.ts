/**
 * Run in the server first: its clock is ahead by as many milliseconds as the file named by CLOCK says, and what is to be
 * done every minute or less often is done at once, again and again.
 */
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK ?? '';
const realNow = Date.now;
const checkInterval = 20;
const fastest = 250;
let ahead = 0;
let readAt = Number.NEGATIVE_INFINITY;

Date.now = () => {
  if (performance.now() - readAt > checkInterval) {
    readAt = performance.now();
    ahead = Number(readFileSync(file, 'utf8'));
  }
  return realNow() + ahead;
};

const hurried = (wait: number | undefined): number => ((wait ?? 0) >= 60_000 ? fastest : (wait ?? 0));
const { setInterval: every } = globalThis;
globalThis.setInterval = ((work: () => void, wait?: number) =>
  every(work, hurried(wait))) as typeof setInterval;

/** Its threads, and theirs. */
globalThis.Worker = class extends Worker {
  constructor(url: string | URL, options: WorkerOptions = {}) {
    super(url, { ...options, preload: [import.meta.path] });
  }
};
