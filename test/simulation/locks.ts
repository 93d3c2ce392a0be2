import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { FileLock } from '../../src/storage/file-lock.ts';
import type { SimulatedProcess, World } from './world.ts';

/** File locks that end with the simulated process that holds them. A file is identified by its inode, as its folder is renamed. */
export class SimulatedLocks {
  readonly #world: World;
  readonly #holders = new Map<string, SimulatedProcess>();
  #created = 0;

  constructor(world: World) {
    this.#world = world;
  }

  readonly lockFile = (path: string): FileLock | null => {
    if (!existsSync(path)) writeFileSync(path, `${++this.#created}`);
    const key = `${statSync(path).ino} ${readFileSync(path, 'utf8')}`;
    const { owner } = this.#world;
    if (owner === undefined) throw new Error('a lock belongs to a process');
    const holder = this.#holders.get(key);
    if (holder !== undefined && !holder.isKilled) return null;
    this.#holders.set(key, owner);
    return {
      release: () => {
        if (this.#holders.get(key) === owner) this.#holders.delete(key);
      },
    };
  };
}
