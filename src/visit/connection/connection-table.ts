/** A connection that can be ended to make room for another one. */
export interface Limited {
  /**
   * Ends the connection, unless an answer is pending on it (`busy`) or bytes were received or sent since the last call that
   * `forgetsUse` (`used`).
   */
  makeRoom(forgetsUse: boolean): 'ended' | 'used' | 'busy';
  /** Ends the connection without a reset, which could make its client lose an answer that was just written. */
  end(): void;
}

/** The connections of one network, least recently checked first. */
type Network<Connection> = Set<Connection>;

/** Connections checked to find an idle one, in total and per network: this bounds the cost of a new connection. */
const maxChecks = 32;
const maxChecksPerNetwork = 8;

/**
 * All connections, by network. At the limit an idle one is closed to make room for a new one: from the same network if that has
 * used its share, otherwise from the network with the most connections. So a flood of idle or half-sent requests displaces its
 * own connections, and visitors from other networks find room.
 */
export class ConnectionTable<Connection extends Limited> {
  readonly #maxPerNetwork: number;
  /** Null for addresses that are exempt from the limit per network. */
  readonly #networkOf: (peer: string) => string | null;
  readonly #networks = new Map<string | null, Network<Connection>>();
  readonly #keys = new Map<Connection, string | null>();
  /** Networks by their number of connections. */
  readonly #bySize: Set<Network<Connection>>[] = [];
  #largest = 0;
  #maxTotal: number;

  constructor(
    limits: { readonly total: number; readonly perNetwork: number },
    networkOf: (peer: string) => string | null,
  ) {
    this.#maxTotal = limits.total;
    this.#maxPerNetwork = limits.perNetwork;
    this.#networkOf = networkOf;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** Sets the limit, and closes idle connections beyond it. */
  limitTo(total: number): void {
    this.#maxTotal = total;
    while (this.size > total && this.#endOneOf(this.#largestFirst()));
  }

  [Symbol.iterator](): IterableIterator<Connection> {
    return this.#keys.keys();
  }

  /** Adds a connection, and closes an idle one at the limit. False if there is no room: then it isn't in the table. */
  add(connection: Connection, peer: string): boolean {
    const key = this.#networkOf(peer);
    const own = this.#networks.get(key);
    if (own !== undefined && key !== null && own.size >= this.#maxPerNetwork) {
      if (!this.#endOneOf([own])) return false;
    }
    if (this.size >= this.#maxTotal && !this.#endOneOf(this.#largestFirst())) return false;
    const network = this.#networks.get(key) ?? new Set();
    this.#networks.set(key, network);
    this.#resize(network, network.size, network.size + 1);
    network.add(connection);
    this.#keys.set(connection, key);
    return true;
  }

  remove(connection: Connection): void {
    const key = this.#keys.get(connection);
    if (key === undefined) return;
    this.#keys.delete(connection);
    const network = this.#networks.get(key);
    if (network === undefined) return;
    network.delete(connection);
    this.#resize(network, network.size + 1, network.size);
    if (network.size === 0) this.#networks.delete(key);
  }

  /**
   * Closes an idle connection of the first network that has one; a recently used one only if all were used. Then smaller networks'
   * connections still count as used: otherwise the next calls would close them before most of the larger network's.
   */
  #endOneOf(networks: Iterable<Network<Connection>>): boolean {
    let checks = 0;
    let candidate: Connection | null = null;
    let sizeOfItsNetwork = 0;
    for (const network of networks) {
      const checksOfNetwork = Math.min(network.size, maxChecksPerNetwork);
      const forgetsUse = network.size >= sizeOfItsNetwork;
      for (let check = 0; check < checksOfNetwork; check++) {
        const [connection] = network;
        if (connection === undefined) break;
        const outcome = connection.makeRoom(forgetsUse);
        if (outcome === 'ended') {
          this.remove(connection);
          return true;
        }
        if (outcome === 'used' && candidate === null) {
          candidate = connection;
          sizeOfItsNetwork = network.size;
        }
        network.delete(connection);
        network.add(connection);
      }
      checks += checksOfNetwork;
      if (checks >= maxChecks) break;
    }
    if (candidate === null) return false;
    candidate.end();
    this.remove(candidate);
    return true;
  }

  *#largestFirst(): Generator<Network<Connection>> {
    for (let size = this.#largest; size > 0; size--) {
      const networks = this.#bySize[size];
      // Each moves to the end, so that the next call starts with others.
      for (let left = networks?.size ?? 0; left > 0; left--) {
        const [network] = networks as Set<Network<Connection>>;
        if (network === undefined) break;
        networks?.delete(network);
        networks?.add(network);
        yield network;
      }
    }
  }

  #resize(network: Network<Connection>, from: number, to: number): void {
    this.#bySize[from]?.delete(network);
    if (to > 0) {
      this.#bySize[to] ??= new Set();
      this.#bySize[to].add(network);
    }
    if (to > this.#largest) this.#largest = to;
    while (this.#largest > 0 && (this.#bySize[this.#largest]?.size ?? 0) === 0) this.#largest -= 1;
  }
}
