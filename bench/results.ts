import { join } from 'node:path';
import { machineFacts } from './machine.ts';

const folder = join(import.meta.dir, 'results');

/** Whether this run only shows that the bench works. */
export const isQuickRun = process.argv.includes('--quick');

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints the facts about the machine that the results depend on, and returns them. */
export function printMachine() {
  const machine = machineFacts();
  const facts = Object.entries(machine).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`);
  printLine(`${facts.join(', ')}\n`);
  if (isQuickRun)
    printLine(
      'A quick run only shows that the bench works. Its figures are not reliable, and are not stored.\n',
    );
  return machine;
}

/** The parts that are named on the command line: `npm run bench -- journal fold`. */
export function requestedParts(parts: object): string[] {
  const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const unknown = words.find((word) => !Object.hasOwn(parts, word));
  if (unknown === undefined) return words;
  process.stderr.write(`The bench has no part "${unknown}". Its parts: ${Object.keys(parts).join(', ')}.\n`);
  process.exit(2);
}

export const resultsIn = (name: string) => Bun.file(join(folder, `${name}.json`));

export async function storeResults(name: string, results: object): Promise<void> {
  await Bun.write(resultsIn(name), `${JSON.stringify(results, rounded, 2)}\n`);
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}
