import { BoundedCache } from '../structures/bounded-cache.ts';
import { TwoGenerationTable } from '../structures/two-generation-table.ts';

/** Links in each of the two generations of the table that remembers whose code was drawn once. */
const maxDrawnOnce = 4096;

/**
 * QR codes as SVG. A code is cached when it is drawn for the second time, which for a new link is its first read: most of many links
 * are read once, and would fill the cache.
 */
export class QrCodeCache {
  readonly #codes: BoundedCache<string>;
  readonly #drawnLinks = new TwoGenerationTable(maxDrawnOnce);

  constructor(maxCharacters: number) {
    this.#codes = new BoundedCache(maxCharacters, (key, svg) => key.length + svg.length);
  }

  /** `key` is everything that the code shows. */
  svg(linkId: number, key: string, draw: () => string): string {
    const cached = this.#codes.get(key);
    if (cached !== undefined) return cached;
    const svg = draw();
    if (this.#drawnLinks.testAndAdd(linkId)) this.#codes.set(key, svg);
    return svg;
  }
}
