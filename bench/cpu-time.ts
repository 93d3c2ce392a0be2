import { existsSync, readFileSync } from 'node:fs';

/** Linux reports CPU time in hundredths of a second, whatever the kernel's own clock. */
const microsecondsPerTick = 10_000;

interface Process {
  readonly pid: number;
}

/** The CPU time of all threads of a process in microseconds, user and system; null if it can't be read. */
export const cpuTime = (process: Process): number | null => timeOf(process, [11, 12]);

/** The same, including its children that have exited. */
export const cpuTimeWithChildren = (process: Process): number | null => timeOf(process, [11, 12, 13, 14]);

function timeOf({ pid }: Process, indexes: readonly number[]): number | null {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return null;
  const stat = readFileSync(file, 'utf8');
  // The second field is the program's name, in parentheses, and may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return indexes.reduce((sum, index) => sum + Number(fields[index]), 0) * microsecondsPerTick;
}
