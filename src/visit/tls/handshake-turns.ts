/** A socket that has just been accepted. */
interface NewSocket {
  pause(): void;
  resume(): void;
}

/**
 * In one turn of its loop the runtime reads at most five sockets that are in their handshake, and puts the others on a stack: if
 * there are always more, the first one waits longest. A handshake is read from twice, so two may begin in a turn.
 */
const maxATurn = 2;

/** Starts handshakes in the order in which their connections came. */
export class HandshakeTurns {
  readonly #waiting = new Set<NewSocket>();
  #begunInTurn = 0;
  #isTurnAwaited = false;

  enter(socket: NewSocket): void {
    if (this.#begunInTurn < maxATurn && this.#waiting.size === 0) this.#begunInTurn += 1;
    else {
      socket.pause();
      this.#waiting.add(socket);
    }
    this.#awaitTurn();
  }

  #awaitTurn(): void {
    if (this.#isTurnAwaited) return;
    this.#isTurnAwaited = true;
    setImmediate(this.#beginTurn);
  }

  readonly #beginTurn = (): void => {
    this.#isTurnAwaited = false;
    this.#begunInTurn = 0;
    for (const socket of this.#waiting) {
      if (this.#begunInTurn === maxATurn) break;
      this.#waiting.delete(socket);
      socket.resume();
      this.#begunInTurn += 1;
    }
    if (this.#begunInTurn > 0) this.#awaitTurn();
  };
}
