import type { TCPSocketListener } from 'bun';
import { Epoll, gone, readable, stopWatching, writable } from './epoll.ts';
import { EpollSocket, type Sockets } from './epoll-socket.ts';
import type { Receiver, VisitorPort } from './port.ts';
import { addressIn } from './socket-address.ts';
import { type Memory, memory, type SystemCalls } from './system-calls.ts';

const pieceLength = 64 * 1024;
const addressLength = 128;
const [levelTcp, noDelay] = [6, 1] as const;
const nonBlockingClosedOnExec = 0o2004000;

/** Milliseconds for which the thread is still when nothing comes: longer from one time to the next. Its timers are as late. */
const restGrowth = 2;
const longestRest = 100;
const restWhileStopping = 1;
/** So often visitors are heard before the runtime is: it may have timers and promises to look after. */
const mostRounds = 8;
/** Before callers are looked at again that couldn't be taken: this process has as many files open as it may. */
const pauseWithoutFiles = 100;

/**
 * A port whose connections are accepted, read and written by the system's own calls. The runtime's loop has its turn after
 * each of ours, and its epoll is among the files that are waited for: so whatever comes for it ends our wait as well.
 */
export class EpollPort<Connection> implements VisitorPort {
  readonly #calls: SystemCalls;
  readonly #listener: TCPSocketListener;
  readonly #file: number;
  readonly #runtime: number;
  readonly #receiver: Receiver<Connection>;
  readonly #epoll: Epoll;
  readonly #shared: Sockets;
  /** By the number of their file. */
  readonly #sockets: (EpollSocket<Connection> | undefined)[] = [];
  readonly #receiving: Memory = memory(pieceLength);
  readonly #caller: Memory = memory(addressLength);
  readonly #callerLength: Memory = memory(Int32Array.BYTES_PER_ELEMENT);
  #tasks: (() => void)[] = [];
  /** Whether the last turn ended before it was quiet. */
  #hasMore = true;
  /** How often in a row nothing has come. */
  #quietTurns = 0;
  #waitingForFiles: Timer | undefined;
  #isTaking = true;
  #isClosed = false;

  /** The listener has this file, and the runtime watches it by the epoll `runtime`; that ends here. */
  constructor(
    calls: SystemCalls,
    listener: TCPSocketListener,
    file: number,
    runtime: number,
    receiver: Receiver<Connection>,
  ) {
    this.#calls = calls;
    this.#listener = listener;
    this.#file = file;
    this.#runtime = runtime;
    this.#receiver = receiver;
    this.#epoll = new Epoll(calls);
    this.#shared = {
      calls,
      epoll: this.#epoll,
      sending: memory(pieceLength),
      forget: (file) => this.#forget(file),
    };
    this.#dontDelay();
    stopWatching(calls, runtime, file);
    this.#epoll.add(file, readable);
    this.#epoll.add(runtime, readable);
    setImmediate(this.#turn);
  }

  get port(): number {
    return this.#listener.port;
  }

  afterTurn(task: () => void): void {
    if (this.#isClosed) setImmediate(task);
    else this.#tasks.push(task);
  }

  stop(): void {
    if (!this.#isTaking) return;
    // Who has been let in by the system already would be turned away by the port's end.
    this.#accept();
    this.#isTaking = false;
    clearTimeout(this.#waitingForFiles);
    this.#epoll.remove(this.#file);
    this.#listener.stop();
  }

  close(): void {
    if (this.#isClosed) return;
    this.stop();
    this.#isClosed = true;
    for (const socket of this.#sockets) socket?.terminate();
    this.#epoll.close();
    this.#runTasks();
  }

  readonly #turn = (): void => {
    if (this.#isClosed) return;
    try {
      this.#takeTurn();
    } finally {
      // Behind what this turn has put off: that comes first.
      setImmediate(this.#turn);
    }
  };

  /** As long as visitors alone have something to say, that is heard before the runtime is let in. */
  #takeTurn(): void {
    let count = this.#epoll.wait(this.#rest());
    this.#quietTurns = count > 0 ? 0 : this.#quietTurns + 1;
    this.#hasMore = false;
    for (let round = 1; count > 0; round++) {
      this.#hasMore = this.#takeRound(count) || round === mostRounds;
      if (this.#hasMore || this.#isClosed) return;
      count = this.#epoll.wait(0);
    }
    this.#runTasks();
  }

  /** True when the runtime has something to do. */
  #takeRound(count: number): boolean {
    let hasCallers = false;
    let isRuntimeCalled = false;
    for (let place = 0; place < count; place++) {
      const file = this.#epoll.fileAt(place);
      const socket = this.#sockets[file];
      if (socket !== undefined) this.#serve(socket, this.#epoll.happenedAt(place));
      else if (file === this.#file) hasCallers = true;
      else if (file === this.#runtime) isRuntimeCalled = true;
    }
    // Only now: their files may have numbers of those that were closed a moment ago.
    if (hasCallers && this.#isTaking) this.#accept();
    this.#runTasks();
    return isRuntimeCalled;
  }

  #rest(): number {
    if (this.#tasks.length > 0 || this.#hasMore) return 0;
    return this.#isTaking ? Math.min((this.#quietTurns + 1) * restGrowth, longestRest) : restWhileStopping;
  }

  #runTasks(): void {
    if (this.#tasks.length === 0) return;
    const tasks = this.#tasks;
    this.#tasks = [];
    for (const task of tasks) task();
  }

  #serve(socket: EpollSocket<Connection>, happened: number): void {
    try {
      if ((happened & readable) !== 0 && socket.isReading) this.#receive(socket);
      if ((happened & writable) !== 0 && socket.noteRoom()) this.#receiver.drained(socket.connection);
      if ((happened & gone) !== 0) socket.terminate();
    } catch (cause) {
      this.#receiver.failed(socket.connection, cause);
    }
  }

  #receive(socket: EpollSocket<Connection>): void {
    const { bytes, at } = this.#receiving;
    const length = this.#calls.recv(socket.file, at, pieceLength, 0);
    if (length > 0) this.#receiver.received(socket.connection, bytes.subarray(0, length));
    else if (length === 0 && socket.noteEnd()) this.#receiver.ended(socket.connection);
    else socket.terminate();
  }

  #accept(): void {
    for (let taken = 0; ; taken++) {
      this.#callerLength.ints[0] = addressLength;
      const { at, bytes } = this.#caller;
      const file = this.#calls.accept4(this.#file, at, this.#callerLength.at, nonBlockingClosedOnExec);
      if (file < 0) {
        if (taken === 0) this.#waitForFiles();
        return;
      }
      this.#sockets[file] = new EpollSocket(file, addressIn(bytes), this.#shared, (socket) =>
        this.#receiver.opened(socket),
      );
      this.#epoll.add(file, readable);
    }
  }

  /** Somebody waits and can't be taken: without a pause, this would be tried again and again all the time. */
  #waitForFiles(): void {
    this.#epoll.change(this.#file, 0);
    clearTimeout(this.#waitingForFiles);
    this.#waitingForFiles = setTimeout(() => {
      if (this.#isTaking) this.#epoll.change(this.#file, readable);
    }, pauseWithoutFiles);
  }

  #forget(file: number): void {
    const socket = this.#sockets[file];
    this.#sockets[file] = undefined;
    if (socket !== undefined) this.#receiver.closed(socket.connection);
  }

  /** Answers aren't held back for more to come. Connections have this from their port. */
  #dontDelay(): void {
    const on = memory(Int32Array.BYTES_PER_ELEMENT);
    on.ints[0] = 1;
    this.#calls.setsockopt(this.#file, levelTcp, noDelay, on.at, on.bytes.length);
  }
}
