import { BoundedCache } from '../../structures/bounded-cache.ts';
import { unpackedCells } from './stored-cells.ts';

/** Cells of a column or a tally; null if the chunk doesn't have them. */
export interface KeptCells {
  readonly cells: Uint8Array | null;
  /** Whether they are packed, as the server sent them. */
  readonly isPacked: boolean;
}

/** Bytes for a key and its entry. */
const overhead = 200;

/**
 * A cache of the cells of chunks, which never change. Unpacking is faster than reading from the server, and packed cells take a
 * third of the memory: so most of them are kept packed, and the most recently used ones unpacked as well.
 */
export class CellCache {
  readonly #packed: Tier;
  readonly #unpacked: Tier;

  constructor({ packed, unpacked }: { readonly packed: number; readonly unpacked: number }) {
    this.#packed = new Tier(packed);
    this.#unpacked = new Tier(unpacked);
  }

  /** Must be called before each query. */
  begin(): void {
    this.#packed.begin();
    this.#unpacked.begin();
  }

  get(key: string): KeptCells | undefined {
    const unpacked = this.#unpacked.get(key);
    if (unpacked !== undefined) return { cells: unpacked, isPacked: false };
    const packed = this.#packed.get(key);
    return packed === undefined ? undefined : { cells: packed, isPacked: packed !== null };
  }

  add(key: string, packed: Uint8Array | null): KeptCells {
    this.#packed.set(key, packed);
    return { cells: packed, isPacked: packed !== null };
  }

  /** Undefined if the chunk doesn't have them. */
  unpacked(key: string, { cells, isPacked }: KeptCells): Uint8Array | undefined {
    if (cells === null) return undefined;
    if (!isPacked) return cells;
    const unpacked = unpackedCells(cells);
    this.#unpacked.set(key, unpacked);
    return unpacked;
  }
}

/**
 * For a query that needs more than fits, the first part is kept. Otherwise each query would evict what the next one needs first,
 * and the cache would never hit.
 */
class Tier {
  readonly #maxBytes: number;
  readonly #kept: BoundedCache<Uint8Array | null>;
  /** Bytes that the current query has added or found. */
  #used = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#kept = new BoundedCache(maxBytes, (_key, cells) => weightOf(cells));
  }

  begin(): void {
    this.#used = 0;
  }

  get(key: string): Uint8Array | null | undefined {
    const cells = this.#kept.get(key);
    if (cells !== undefined) this.#used += weightOf(cells);
    return cells;
  }

  set(key: string, cells: Uint8Array | null): void {
    this.#used += weightOf(cells);
    if (this.#used <= this.#maxBytes) this.#kept.set(key, cells);
  }
}

const weightOf = (cells: Uint8Array | null): number => overhead + (cells?.byteLength ?? 0);
