import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Linux reports CPU time in hundredths of a second, whatever the kernel's own clock. */
const microsecondsPerTick = 10_000;

/** A process and all its descendants. */
export function treeOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(file)) return [];
  const children = readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(treeOf)];
}

/** The CPU time of all threads of these processes in microseconds, user and system. */
export function cpuOf(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    const file = `/proc/${pid}/stat`;
    // It may have exited.
    if (!existsSync(file)) continue;
    const stat = readFileSync(file, 'utf8');
    // The second field is the program's name, in parentheses, and may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * microsecondsPerTick;
}

/** The same for a process and its descendants, including children that have exited. */
export function cpuWithExited(pid: number): number {
  let ticks = 0;
  for (const each of treeOf(pid)) {
    const stat = readFileSync(`/proc/${each}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    for (const index of [11, 12, 13, 14]) ticks += Number(fields[index]);
  }
  return ticks * microsecondsPerTick;
}

/** Context switches of all threads of these processes, voluntary and involuntary. */
export function switchesOf(pids: readonly number[]): number {
  let switches = 0;
  for (const pid of pids)
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
      for (const [, count] of status.matchAll(/voluntary_ctxt_switches:\s+(\d+)/g)) switches += Number(count);
    }
  return switches;
}

/** Bytes of memory: everything of the largest process, and the private memory of the others. */
export function memoryOf(pids: readonly number[]): number {
  const parts = pids.map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0);
    return { whole: kib('Rss') * 1024, own: (kib('Private_Clean') + kib('Private_Dirty')) * 1024 };
  });
  const largest = Math.max(...parts.map(({ whole }) => whole));
  const largestIndex = parts.findIndex(({ whole }) => whole === largest);
  return largest + parts.reduce((sum, { own }, index) => sum + (index === largestIndex ? 0 : own), 0);
}

/** The kernel's own threads, whose work takes CPU time from all processes. */
export function kernelThreads(): number[] {
  const parent = 2;
  const name = `/proc/${parent}/comm`;
  return existsSync(name) && readFileSync(name, 'utf8').trim() === 'kthreadd' ? treeOf(parent) : [];
}
