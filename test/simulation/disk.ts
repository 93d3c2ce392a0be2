import { closeSync, ftruncateSync, futimesSync, openSync, readSync, writeSync } from 'node:fs';
import type { JournalDisk } from '../../src/journal/disk.ts';
import type { SimulatedProcess, World } from './world.ts';

interface File {
  size: number;
  /** So many bytes outlive a loss of power. */
  synced: number;
}

const full = () => Object.assign(new Error('ENOSPC: no space left on the device'), { code: 'ENOSPC' });

/** The disk of one process's journal: real files, which may be full, cut off, or gone with the power. */
export class SimulatedDisk implements JournalDisk {
  readonly #world: World;
  readonly #process: SimulatedProcess;
  readonly #files = new Map<number, File>();
  isFull = false;
  /** The process dies at one in so many writes. */
  deadlyWrites = 0;

  constructor(world: World, process: SimulatedProcess) {
    this.#world = world;
    this.#process = process;
  }

  readonly open = (path: string): number => {
    this.#check();
    const file = openSync(path, 'wx+', 0o600);
    this.#files.set(file, { size: 0, synced: 0 });
    return file;
  };

  readonly write = (file: number, bytes: Buffer, from: number, length: number, at: number): number => {
    if (this.#process.isDead) throw full();
    const isDeadly = this.#world.happens(this.deadlyWrites);
    const isCut = isDeadly || this.isFull || this.#world.happens(0.02);
    const taken = writeSync(file, bytes, from, isCut ? this.#world.below(length) : length, at);
    const known = this.#files.get(file);
    if (known !== undefined) known.size = at + taken;
    this.#touch(file);
    if (isDeadly) this.#process.kill();
    if (isDeadly || this.isFull) throw full();
    return taken;
  };

  readonly truncate = (file: number, size: number): void => {
    this.#check();
    if (this.#world.happens(0.1)) throw full();
    ftruncateSync(file, size);
    this.#touch(file);
    const known = this.#files.get(file);
    if (known !== undefined) Object.assign(known, { size, synced: Math.min(known.synced, size) });
  };

  readonly sync = (file: number, done: (fault?: Error | null) => void): void => {
    this.#check();
    const known = this.#files.get(file);
    const size = known?.size ?? 0;
    const fails = this.isFull && this.#world.happens(0.3);
    this.#world.after(this.#world.below(80), () => {
      if (!fails && known !== undefined) known.synced = Math.max(known.synced, Math.min(size, known.size));
      done(fails ? full() : null);
    });
  };

  /** Stays open until the process is gone: the power may still take what is not synced. */
  readonly close = (): void => {};

  /** What wasn't synced is gone, from some byte on; or there are zeros in its place. Returns the bytes that may be missing. */
  losePower(): string {
    let lost = '';
    for (const [file, { size, synced }] of this.#files) {
      const bytes = Buffer.alloc(Math.max(0, size - synced));
      readSync(file, bytes, 0, bytes.length, synced);
      lost += bytes.toString('latin1');
      const cut = synced + this.#world.below(bytes.length + 1);
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
    if (this.#process.isDead || (this.isFull && this.#world.happens(0.5))) throw full();
  }
}
