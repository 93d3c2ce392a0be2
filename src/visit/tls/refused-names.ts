import { BoundedCache } from '../../structures/bounded-cache.ts';

const maxNames = 3_000;
const lifetime = 60_000;

/** Whether host names have no certificate and won't get one for now: then their links are answered over http. */
export class RefusedNames {
  readonly #load: (host: string) => Promise<boolean>;
  readonly #now: () => number;
  readonly #names = new BoundedCache<{ readonly isRefused: boolean; readonly until: number }>(maxNames);

  constructor(load: (host: string) => Promise<boolean>, now: () => number) {
    this.#load = load;
    this.#now = now;
  }

  /** A promise while that is looked up. */
  isRefused(host: string): boolean | Promise<boolean> {
    const known = this.#names.get(host);
    if (known !== undefined && known.until > this.#now()) return known.isRefused;
    return this.#load(host).then(
      (isRefused) => this.#note(host, isRefused),
      // The store is unavailable: keep the last known answer.
      () => this.#note(host, known?.isRefused ?? false),
    );
  }

  #note(host: string, isRefused: boolean): boolean {
    this.#names.set(host, { isRefused, until: this.#now() + lifetime });
    return isRefused;
  }

  forget(host: string): void {
    this.#names.delete(host);
  }

  clear(): void {
    this.#names.clear();
  }
}
