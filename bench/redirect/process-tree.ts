import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cpuTime, cpuTimeWithChildren } from '../cpu-time.ts';

/** A process and all its descendants. */
export function treeOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(file)) return [];
  const children = readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(treeOf)];
}

/** The CPU time of all threads of these processes in microseconds, user and system. */
export const cpuOf = (pids: readonly number[]): number => sumOf(pids, (pid) => cpuTime({ pid }));

/** The same for a process and its descendants, including children that have exited. */
export const cpuWithExited = (pid: number): number =>
  sumOf(treeOf(pid), (each) => cpuTimeWithChildren({ pid: each }));

/** A process may have exited. */
const sumOf = (pids: readonly number[], timeOf: (pid: number) => number | null): number =>
  pids.reduce((sum, pid) => sum + (timeOf(pid) ?? 0), 0);

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
    const own = kilobytesOf(pid, 'Private_Clean') + kilobytesOf(pid, 'Private_Dirty');
    return { whole: kilobytesOf(pid, 'Rss') * 1024, own: own * 1024 };
  });
  const largest = Math.max(...parts.map(({ whole }) => whole));
  const largestIndex = parts.findIndex(({ whole }) => whole === largest);
  return largest + parts.reduce((sum, { own }, index) => sum + (index === largestIndex ? 0 : own), 0);
}

/** How much of this kind of memory a process has, as the kernel counts and names it. */
export function kilobytesOf(
  pid: number,
  kind: 'Rss' | 'Pss_Anon' | 'Private_Clean' | 'Private_Dirty',
): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0);
}

/** The kernel's own threads, whose work takes CPU time from all processes. */
export function kernelThreads(): number[] {
  const parent = 2;
  const name = `/proc/${parent}/comm`;
  return existsSync(name) && readFileSync(name, 'utf8').trim() === 'kthreadd' ? treeOf(parent) : [];
}
