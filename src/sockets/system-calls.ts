import { dlopen, FFIType, type Pointer, ptr } from 'bun:ffi';

const { i32, u32, u64_fast, ptr: pointer } = FFIType;

/**
 * A result of -1 is a failure; why isn't asked, as everything that is done about it shows in the next event as well. What
 * `recv` and `send` give back is no more than the length they were given, so it fits.
 */
const load = (library: string) =>
  dlopen(library, {
    accept4: { args: [i32, pointer, pointer, i32], returns: i32 },
    close: { args: [i32], returns: i32 },
    epoll_create1: { args: [i32], returns: i32 },
    epoll_ctl: { args: [i32, i32, i32, pointer], returns: i32 },
    epoll_wait: { args: [i32, pointer, i32, i32], returns: i32 },
    recv: { args: [i32, pointer, u64_fast, i32], returns: i32 },
    send: { args: [i32, pointer, u64_fast, i32], returns: i32 },
    setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 },
    shutdown: { args: [i32, i32], returns: i32 },
  }).symbols;

export type SystemCalls = ReturnType<typeof load>;

const libraries: readonly string[] = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'];

/** Null where the system has no epoll, or its calls can't be reached. */
export function systemCalls(): SystemCalls | null {
  if (process.platform !== 'linux') return null;
  for (const library of libraries) {
    try {
      return load(library);
    } catch {
      // Another kind of Linux has it by another name.
    }
  }
  return null;
}

/** Memory that a system call reads or writes. */
export interface Memory {
  readonly bytes: Buffer;
  readonly ints: Int32Array;
  readonly at: Pointer;
}

/**
 * It stays where it is for as long as somebody holds on to it. (A small array that is made without a buffer doesn't: the
 * runtime keeps it in its own heap, and moves it when its buffer is asked for.)
 */
export function memory(size: number): Memory {
  const buffer = new ArrayBuffer(size);
  return { bytes: Buffer.from(buffer), ints: new Int32Array(buffer), at: ptr(buffer) };
}
