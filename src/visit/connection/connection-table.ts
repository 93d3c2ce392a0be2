/** A connection, as far as making room for others goes. */
export interface Limited {
  /**
   * Ended by this, unless an answer is owed on it (`busy`) or anything came or went since this was last asked (`used`).
   */
  makeRoom(): 'ended' | 'used' | 'busy';
  terminate(): void;
}

/** The connections of one network, those first that were longest without a look at them. */
type Network<Connection> = Set<Connection>;

/** How many connections are looked at for one that is idle, in all and of one network: no newcomer costs more than that. */
const maxLooks = 32;
const maxLooksANetwork = 8;

/**
 * All connections, by the network they come from. Where there are as many as there may be, an idle one makes room for a
 * newcomer: of the newcomer's network if that has its full share, otherwise of the network that has most. So a flood of
 * idle or half-sent requests pushes out its own, and a visitor from elsewhere finds room.
 */
export class ConnectionTable<Connection extends Limited> {
  readonly #maxPerNetwork: number;
  /** Null for whom the limit on networks is not for. */
  readonly #networkOf: (peer: string) => string | null;
  readonly #networks = new Map<string | null, Network<Connection>>();
  readonly #keys = new Map<Connection, string | null>();
  /** Networks by how many connections they have. */
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

  /** From now on there are no more than this; idle ones that are too many end now. */
  limitTo(total: number): void {
    this.#maxTotal = total;
    while (this.size > total && this.#endOneOf(this.#largestFirst()));
  }

  [Symbol.iterator](): IterableIterator<Connection> {
    return this.#keys.keys();
  }

  /** Ends idle ones where room is needed. False when there is none: then the connection is not in the table. */
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

  /** The longest idle one of the first network that has one. One that was used lately goes only where all were. */
  #endOneOf(networks: Iterable<Network<Connection>>): boolean {
    let looks = 0;
    let spare: Connection | null = null;
    for (const network of networks) {
      const looksHere = Math.min(network.size, maxLooksANetwork);
      for (let look = 0; look < looksHere; look++) {
        const [connection] = network;
        if (connection === undefined) break;
        const outcome = connection.makeRoom();
        if (outcome === 'ended') {
          this.remove(connection);
          return true;
        }
        if (outcome === 'used') spare ??= connection;
        network.delete(connection);
        network.add(connection);
      }
      looks += looksHere;
      if (looks >= maxLooks) break;
    }
    if (spare === null) return false;
    spare.terminate();
    this.remove(spare);
    return true;
  }

  *#largestFirst(): Generator<Network<Connection>> {
    for (let size = this.#largest; size > 0; size--) {
      const networks = this.#bySize[size];
      // Each moves to the end: next time others are looked at first.
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
