import { IntTable } from '../../structures/int-table.ts';
import { resized } from '../hit-columns.ts';

const minRoom = 256;

/** The links that have hits in a batch, indexed by first appearance: numbers in typed arrays, no objects. */
export class BatchLinks {
  count = 0;
  ids: Float64Array = new Float64Array(minRoom);
  organizations: Float64Array = new Float64Array(minRoom);
  hits: Int32Array = new Int32Array(minRoom);
  readonly #indexes = new IntTable();

  /** Starts a new batch. The memory of very many links is freed after a batch with some, but far fewer. */
  begin(): void {
    if (this.count > 0 && this.count * 16 < this.ids.length && this.ids.length > minRoom)
      this.#resize(minRoom, 0);
    this.count = 0;
    this.#indexes.clear();
  }

  /** Frees its memory and loses its contents. */
  release(): void {
    this.begin();
    this.#resize(minRoom, 0);
  }

  indexOf(id: number, organizationId: number): number {
    const index = this.#indexes.get(id);
    return index >= 0 ? index : this.#add(id, organizationId);
  }

  #add(id: number, organizationId: number): number {
    if (this.count === this.ids.length) this.#resize(this.count * 2, this.count);
    const index = this.count++;
    this.ids[index] = id;
    this.organizations[index] = organizationId;
    this.hits[index] = 0;
    this.#indexes.set(id, index);
    return index;
  }

  #resize(room: number, kept: number): void {
    this.ids = resized(this.ids, room, kept);
    this.organizations = resized(this.organizations, room, kept);
    this.hits = resized(this.hits, room, kept);
  }
}
