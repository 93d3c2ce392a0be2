import { type Memory, memory, type SystemCalls } from './system-calls.ts';

export const readable = 0x001;
export const writable = 0x004;
/** An error, or both directions at an end: told whether asked for or not. */
export const gone = 0x008 | 0x010;

const [adding, removing, changing] = [1, 2, 3] as const;
const closeOnExec = 0o2000000;

/** The kernel packs what it tells of an event on one architecture only. */
const [eventLength, filePlace] = process.arch === 'x64' ? [3, 1] : [4, 2];
const mostEvents = 512;

/** Which of many files something has happened to. */
export class Epoll {
  readonly #calls: SystemCalls;
  readonly #file: number;
  readonly #events: Memory = memory(mostEvents * eventLength * Int32Array.BYTES_PER_ELEMENT);
  readonly #one: Memory = memory(eventLength * Int32Array.BYTES_PER_ELEMENT);

  constructor(calls: SystemCalls) {
    this.#calls = calls;
    this.#file = calls.epoll_create1(closeOnExec);
  }

  add(file: number, interest: number): void {
    this.#control(adding, file, interest);
  }

  change(file: number, interest: number): void {
    this.#control(changing, file, interest);
  }

  remove(file: number): void {
    this.#control(removing, file, 0);
  }

  /** Waits until something happens, or so many milliseconds are over. Returns to how many files; of each, once. */
  wait(milliseconds: number): number {
    return this.#calls.epoll_wait(this.#file, this.#events.at, mostEvents, milliseconds);
  }

  /** Of what `wait` has told. */
  fileAt(place: number): number {
    return this.#events.ints[place * eventLength + filePlace] as number;
  }

  happenedAt(place: number): number {
    return this.#events.ints[place * eventLength] as number;
  }

  close(): void {
    this.#calls.close(this.#file);
  }

  #control(what: number, file: number, interest: number): void {
    const { ints, at } = this.#one;
    ints[0] = interest;
    ints[filePlace] = file;
    this.#calls.epoll_ctl(this.#file, what, file, at);
  }
}

/** Takes a file out of an epoll that isn't ours. */
export function stopWatching(calls: SystemCalls, epoll: number, file: number): void {
  calls.epoll_ctl(epoll, removing, file, null);
}
