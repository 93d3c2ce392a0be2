import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The contents of every file in a folder, recursively; `isWanted` filters them by name. */
export function filesIn(folder: string, isWanted: (name: string) => boolean = () => true): Buffer[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(isWanted)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path));
}
