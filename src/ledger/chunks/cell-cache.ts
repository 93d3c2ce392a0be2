import { BoundedCache } from '../../structures/bounded-cache.ts';
import { decompressCells } from './stored-cells.ts';

/** Cells of a column or a tally; null if the chunk doesn't have them. */
export interface CachedCells {
  readonly cells: Uint8Array | null;
  /** Whether they are compressed, as the server sent them. */
  readonly isCompressed: boolean;
}

/** Bytes for a key and its entry. */
const overhead = 200;

/**
 * A cache of the cells of chunks, which never change. Decompressing is faster than reading from the server, and compressed cells take a
 * third of the memory: so most of them are kept compressed, and the most recently used ones decompressed as well.
 */
export class CellCache {
  readonly #compressed: Tier;
  readonly #decompressed: Tier;

  constructor({ compressed, decompressed }: { readonly compressed: number; readonly decompressed: number }) {
    this.#compressed = new Tier(compressed);
    this.#decompressed = new Tier(decompressed);
  }

  /** Must be called before each query. */
  begin(): void {
    this.#compressed.begin();
    this.#decompressed.begin();
  }

  get(key: string): CachedCells | undefined {
    const decompressed = this.#decompressed.get(key);
    if (decompressed !== undefined) return { cells: decompressed, isCompressed: false };
    const compressed = this.#compressed.get(key);
    return compressed === undefined ? undefined : { cells: compressed, isCompressed: compressed !== null };
  }

  add(key: string, compressed: Uint8Array | null): CachedCells {
    this.#compressed.set(key, compressed);
    return { cells: compressed, isCompressed: compressed !== null };
  }

  /** Undefined if the chunk doesn't have them. */
  decompressed(key: string, { cells, isCompressed }: CachedCells): Uint8Array | undefined {
    if (cells === null) return undefined;
    if (!isCompressed) return cells;
    const decompressed = decompressCells(cells);
    this.#decompressed.set(key, decompressed);
    return decompressed;
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
