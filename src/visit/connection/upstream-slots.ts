/** An upstream connection that needs a slot. */
export interface SlotHolder {
  /** It has its slot, and may connect. */
  start(): void;
  /** It got no slot in time. */
  refuse(): void;
  /** It is idle, and other requests wait: it must not be used again. */
  endIdle(): void;
  /** Other requests wait: ends it if its client has left a request half sent for `milliseconds`, or sends it very slowly. */
  endIfStalled(milliseconds: number): void;
}

export interface Slot {
  readonly holder: SlotHolder;
  readonly network: Network;
  readonly since: number;
  hasStarted: boolean;
}

interface Network {
  readonly key: string | null;
  taken: number;
  readonly waiting: Set<Slot>;
  readonly idle: Set<Slot>;
}

/** Milliseconds. */
const maxWait = 5_000;
const maxStall = 2_000;
const checkInterval = 250;
/** With more waiting per slot, the last one would not get a slot in time. */
const maxWaitingPerSlot = 4;

/**
 * Limits the connections to the app server, each of which takes two descriptors. When all slots are taken, idle connections and
 * stalled requests are ended, and the other requests wait for their turn, network by network.
 */
export class UpstreamSlots {
  readonly #max: number;
  readonly #maxPerNetwork: number;
  readonly #networkOf: (peer: string) => string | null;
  readonly #networks = new Map<string | null, Network>();
  readonly #started = new Set<Slot>();
  /** Least recently used first. */
  readonly #idle = new Set<Slot>();
  /** Networks with waiting requests, least recently served first. */
  readonly #queue = new Set<Network>();
  #waiting = 0;
  #checking: Timer | null = null;

  constructor(
    limits: { readonly upstream: number; readonly upstreamPerNetwork: number },
    networkOf: (peer: string) => string | null,
  ) {
    this.#max = limits.upstream;
    this.#maxPerNetwork = limits.upstreamPerNetwork;
    this.#networkOf = networkOf;
  }

  /** Starts the holder at once, or when its turn comes. */
  take(peer: string, holder: SlotHolder): Slot {
    const slot = { holder, network: this.#networkFor(peer), since: performance.now(), hasStarted: false };
    if (this.#isFree(slot.network)) this.#start(slot);
    else if (this.#waiting >= this.#max * maxWaitingPerSlot) queueMicrotask(() => holder.refuse());
    else this.#await(slot);
    return slot;
  }

  /** Its connection is idle, and kept for the next request. */
  markIdle(slot: Slot): void {
    this.#idle.add(slot);
    slot.network.idle.add(slot);
    if (this.#waiting > 0) this.#endIdle(slot.network);
  }

  use(slot: Slot): void {
    this.#idle.delete(slot);
    slot.network.idle.delete(slot);
  }

  /** Its connection is closed at both ends, or no longer needed. */
  release(slot: Slot): void {
    const { network } = slot;
    this.use(slot);
    if (network.waiting.delete(slot)) this.#decrementWaiting(network);
    if (this.#started.delete(slot)) network.taken -= 1;
    this.#startWaiting();
    if (network.taken === 0 && network.waiting.size === 0) this.#networks.delete(network.key);
  }

  #networkFor(peer: string): Network {
    const key = this.#networkOf(peer);
    const existing = this.#networks.get(key);
    if (existing !== undefined) return existing;
    const network = { key, taken: 0, waiting: new Set<Slot>(), idle: new Set<Slot>() };
    this.#networks.set(key, network);
    return network;
  }

  #isFree(network: Network): boolean {
    return this.#started.size < this.#max && !this.#hasShare(network);
  }

  #hasShare({ key, taken }: Network): boolean {
    return key !== null && taken >= this.#maxPerNetwork;
  }

  #start(slot: Slot): void {
    slot.hasStarted = true;
    slot.network.taken += 1;
    this.#started.add(slot);
    slot.holder.start();
  }

  #await(slot: Slot): void {
    slot.network.waiting.add(slot);
    this.#queue.add(slot.network);
    this.#waiting += 1;
    this.#checking ??= setInterval(() => this.#check(), checkInterval);
    this.#endIdle(slot.network);
  }

  /** The waiting request starts when the idle connection has closed. */
  #endIdle(network: Network): void {
    const [idle] = this.#hasShare(network) ? network.idle : this.#idle;
    if (idle === undefined) return;
    this.use(idle);
    idle.holder.endIdle();
  }

  #startWaiting(): void {
    for (const network of this.#queue) {
      if (this.#started.size >= this.#max) return;
      if (this.#hasShare(network)) continue;
      const [slot] = network.waiting;
      if (slot === undefined) continue;
      network.waiting.delete(slot);
      // Moves to the end of the queue if more of its requests wait.
      this.#queue.delete(network);
      if (network.waiting.size > 0) this.#queue.add(network);
      this.#decrementWaiting(network);
      this.#start(slot);
    }
  }

  #decrementWaiting(network: Network): void {
    this.#waiting -= 1;
    if (network.waiting.size === 0) this.#queue.delete(network);
    if (this.#waiting > 0 || this.#checking === null) return;
    clearInterval(this.#checking);
    this.#checking = null;
  }

  #check(): void {
    const latest = performance.now() - maxWait;
    for (const network of [...this.#queue])
      for (const slot of [...network.waiting]) {
        if (slot.since > latest) break;
        this.release(slot);
        slot.holder.refuse();
      }
    if (this.#waiting > 0) for (const { holder } of [...this.#started]) holder.endIfStalled(maxStall);
  }
}
