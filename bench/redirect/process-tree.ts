import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Linux reports CPU time in hundredths of a second, whatever the kernel's own clock. */
const microsecondsPerTick = 10_000;

/** A process and all that come from it. */
export function treeOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(file)) return [];
  const children = readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(treeOf)];
}

/** Microseconds of CPU, user and system, that all threads of these processes have used. */
export function cpuOf(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const file = `/proc/${pid}/stat`;
    // A server's processes come and go.
    if (!existsSync(file)) continue;
    const stat = readFileSync(file, 'utf8');
    // The program's name comes second, in brackets, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * microsecondsPerTick;
}

/** Microseconds of CPU of a process and all below it, with those of its children that have ended. */
export function cpuWithEnded(pid: number): number {
  let ticks = 0;
  for (const each of treeOf(pid)) {
    const stat = readFileSync(`/proc/${each}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    for (const index of [11, 12, 13, 14]) ticks += Number(fields[index]);
  }
  return ticks * microsecondsPerTick;
}

/** How often a thread of these processes has given up its core, of itself or because another's turn had come. */
export function switchesOf(pids: readonly number[]): number {
  let switches = 0;
  for (const pid of pids)
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
      for (const [, count] of status.matchAll(/voluntary_ctxt_switches:\s+(\d+)/g)) switches += Number(count);
    }
  return switches;
}

/** Bytes of memory: all of the largest process, and of the others what is theirs alone. */
export function memoryOf(pids: readonly number[]): number {
  const parts = pids.map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0);
    return { whole: kib('Rss') * 1024, own: (kib('Private_Clean') + kib('Private_Dirty')) * 1024 };
  });
  const largest = Math.max(...parts.map(({ whole }) => whole));
  const place = parts.findIndex(({ whole }) => whole === largest);
  return largest + parts.reduce((sum, { own }, index) => sum + (index === place ? 0 : own), 0);
}

/** The threads of the kernel itself: what it clears up, writes and watches takes a core from everybody. */
export function kernelThreads(): number[] {
  const parent = 2;
  const name = `/proc/${parent}/comm`;
  return existsSync(name) && readFileSync(name, 'utf8').trim() === 'kthreadd' ? treeOf(parent) : [];
}
