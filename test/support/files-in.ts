import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Every file of a folder and of the folders in it, or those whose names are wanted. */
export function filesIn(folder: string, isWanted: (name: string) => boolean = () => true): Buffer[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(isWanted)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path));
}
