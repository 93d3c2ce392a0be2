interface Load<T> {
  readonly promise: Promise<T>;
  /** Its key changed while it was running: the result only serves the callers that have it already. */
  isOutdated: boolean;
}

/** Loads under way, by key: concurrent callers share one, until its key changes. */
export class SharedLoads<T> {
  readonly #loads = new Map<string, Load<T>>();

  /** The load of this key, if one is under way that is not outdated. */
  get(key: string): Promise<T> | undefined {
    const load = this.#loads.get(key);
    return load?.isOutdated === false ? load.promise : undefined;
  }

  /** Shares this load from now on. `onLoaded` is called before any caller has the value, with whether the key has changed meanwhile. */
  add(
    key: string,
    promise: Promise<T>,
    onLoaded: (value: T, isOutdated: boolean) => void = () => {},
  ): Promise<T> {
    const load: Load<T> = { promise, isOutdated: false };
    this.#loads.set(key, load);
    const finish = () => {
      if (this.#loads.get(key) === load) this.#loads.delete(key);
    };
    promise.then((value) => {
      finish();
      onLoaded(value, load.isOutdated);
    }, finish);
    return promise;
  }

  /** The key has changed: later callers load it again. */
  outdate(key: string): void {
    const load = this.#loads.get(key);
    if (load) load.isOutdated = true;
  }

  outdateAll(): void {
    for (const load of this.#loads.values()) load.isOutdated = true;
  }
}
