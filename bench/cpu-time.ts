import { existsSync, readFileSync } from 'node:fs';
import type { Program } from './program.ts';

/** Linux reports CPU time in hundredths of a second, whatever the kernel's own clock. */
const microsecondsPerTick = 10_000;

/** Microseconds of CPU that all threads of a program have used, user and system; null where that can't be read. */
export const cpuTime = (program: Program): number | null => ticksOf(program, [11, 12]);

/** The same with that of its children that have ended. */
export const cpuTimeWithChildren = (program: Program): number | null => ticksOf(program, [11, 12, 13, 14]);

function ticksOf({ pid }: Program, indexes: readonly number[]): number | null {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return null;
  const stat = readFileSync(file, 'utf8');
  // The program's name comes second, in brackets, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return indexes.reduce((sum, index) => sum + Number(fields[index]), 0) * microsecondsPerTick;
}
