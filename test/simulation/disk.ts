import { closeSync, ftruncateSync, futimesSync, openSync, readSync, writeSync } from 'node:fs';
import type { JournalDisk } from '../../src/journal/disk.ts';
import type { SimulatedProcess, World } from './world.ts';

interface File {
  size: number;
  /** The number of bytes that survive a power loss. */
  syncedSize: number;
}

const noSpace = () => Object.assign(new Error('ENOSPC: no space left on the device'), { code: 'ENOSPC' });

/** The disk of one process's journal: real files, whose writes may fail, be partial, or be lost in a power loss. */
export class SimulatedDisk implements JournalDisk {
  readonly #world: World;
  readonly #process: SimulatedProcess;
  readonly #files = new Map<number, File>();
  isFull = false;
  /** The probability that a write kills the process. */
  killingWrites = 0;

  constructor(world: World, process: SimulatedProcess) {
    this.#world = world;
    this.#process = process;
  }

  readonly open = (path: string): number => {
    this.#check();
    const file = openSync(path, 'wx+', 0o600);
    this.#files.set(file, { size: 0, syncedSize: 0 });
    return file;
  };

  readonly write = (file: number, bytes: Buffer, from: number, length: number, at: number): number => {
    if (this.#process.isKilled) throw noSpace();
    const isKilled = this.#world.happens(this.killingWrites);
    const isPartial = isKilled || this.isFull || this.#world.happens(0.02);
    const written = writeSync(file, bytes, from, isPartial ? this.#world.below(length) : length, at);
    const state = this.#files.get(file);
    if (state !== undefined) state.size = at + written;
    this.#touch(file);
    if (isKilled) this.#process.kill();
    if (isKilled || this.isFull) throw noSpace();
    return written;
  };

  readonly truncate = (file: number, size: number): void => {
    this.#check();
    if (this.#world.happens(0.1)) throw noSpace();
    ftruncateSync(file, size);
    this.#touch(file);
    const state = this.#files.get(file);
    if (state !== undefined) Object.assign(state, { size, syncedSize: Math.min(state.syncedSize, size) });
  };

  readonly sync = (file: number, done: (fault?: Error | null) => void): void => {
    this.#check();
    const state = this.#files.get(file);
    const size = state?.size ?? 0;
    const fails = this.isFull && this.#world.happens(0.3);
    this.#world.after(this.#world.below(80), () => {
      if (!fails && state !== undefined)
        state.syncedSize = Math.max(state.syncedSize, Math.min(size, state.size));
      done(fails ? noSpace() : null);
    });
  };

  /** The file stays open until the process has ended, because a power loss may still cut off unsynced bytes. */
  readonly close = (): void => {};

  /** Cuts off unsynced bytes at a random position, or replaces them by zeros. Returns the bytes that may be missing. */
  losePower(): string {
    let lost = '';
    for (const [file, { size, syncedSize }] of this.#files) {
      const bytes = Buffer.alloc(Math.max(0, size - syncedSize));
      readSync(file, bytes, 0, bytes.length, syncedSize);
      lost += bytes.toString('latin1');
      const cut = syncedSize + this.#world.below(bytes.length + 1);
      ftruncateSync(file, cut);
      if (this.#world.happens(0.3)) ftruncateSync(file, size);
      this.#touch(file);
    }
    return lost;
  }

  release(): void {
    for (const file of this.#files.keys()) closeSync(file);
    this.#files.clear();
  }

  #touch(file: number): void {
    const seconds = (this.#world.instant + this.#process.clockError) / 1_000;
    futimesSync(file, seconds, seconds);
  }

  #check(): void {
    if (this.#process.isKilled || (this.isFull && this.#world.happens(0.5))) throw noSpace();
  }
}
