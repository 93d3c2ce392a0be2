/** A socket that has just been accepted. */
interface NewSocket {
  pause(): void;
  resume(): void;
}

/**
 * In one tick of the event loop the runtime reads at most five sockets that are in their handshake, and puts the others on a stack:
 * if there are always more, the first one waits longest. A handshake is read from twice, so two may begin in a tick.
 */
const maxPerTick = 2;

/** Starts handshakes in the order in which their connections came. */
export class HandshakeQueue {
  readonly #waiting = new Set<NewSocket>();
  #begunInTick = 0;
  #isTickAwaited = false;

  enter(socket: NewSocket): void {
    if (this.#begunInTick < maxPerTick && this.#waiting.size === 0) this.#begunInTick += 1;
    else {
      socket.pause();
      this.#waiting.add(socket);
    }
    this.#awaitTick();
  }

  #awaitTick(): void {
    if (this.#isTickAwaited) return;
    this.#isTickAwaited = true;
    setImmediate(this.#beginTick);
  }

  readonly #beginTick = (): void => {
    this.#isTickAwaited = false;
    this.#begunInTick = 0;
    for (const socket of this.#waiting) {
      if (this.#begunInTick === maxPerTick) break;
      this.#waiting.delete(socket);
      socket.resume();
      this.#begunInTick += 1;
    }
    if (this.#begunInTick > 0) this.#awaitTick();
  };
}
