import { existsSync, readFileSync } from 'node:fs';
import type { Program } from './program.ts';

/** Linux reports CPU time in hundredths of a second, whatever the kernel's own clock. */
const microsecondsPerTick = 10_000;

/** Microseconds of CPU that all threads of a program have used, user and system; null where that can't be read. */
export function cpuTime({ pid }: Program): number | null {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return null;
  const stat = readFileSync(file, 'utf8');
  // The program's name comes second, in brackets, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
}
