/**
 * Preloaded into the server: its clock is ahead by the number of milliseconds in the file named by CLOCK, and intervals
 * of a minute or more are shortened to a quarter of a second.
 */
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK ?? '';
const realNow = Date.now;
const checkInterval = 20;
const shortInterval = 250;
let ahead = 0;
let readAt = Number.NEGATIVE_INFINITY;

Date.now = () => {
  if (performance.now() - readAt > checkInterval) {
    readAt = performance.now();
    ahead = Number(readFileSync(file, 'utf8'));
  }
  return realNow() + ahead;
};

const shortened = (wait: number | undefined): number => ((wait ?? 0) >= 60_000 ? shortInterval : (wait ?? 0));
const { setInterval: realSetInterval } = globalThis;
globalThis.setInterval = ((work: () => void, wait?: number) =>
  realSetInterval(work, shortened(wait))) as typeof setInterval;

/** Preloads this file into every thread that the server or one of its threads starts. */
globalThis.Worker = class extends Worker {
  constructor(url: string | URL, options: WorkerOptions = {}) {
    super(url, { ...options, preload: [import.meta.path] });
  }
};
