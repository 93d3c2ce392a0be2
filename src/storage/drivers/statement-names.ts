/** More than there are repeated statements: links are inserted with many sets of columns. Further ones are parsed each time. */
const maxNamed = 200;

interface Named {
  readonly name?: string;
  readonly text: string;
}

/**
 * Names of repeated statements: each connection parses them once, and soon caches their plans. Equal names have equal texts in
 * every process, so that a pooler that confuses connections can lose a statement, but never run another one.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  /** How often the tables were changed under named statements. Part of the text, because poolers derive names from it. */
  #generation = 0;

  of(text: string): Named {
    let name = this.#names.get(text);
    if (name === undefined) {
      if (this.#names.size >= maxNamed) return { text };
      name = `${this.#prefix}${new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 32)}`;
      this.#names.set(text, name);
    }
    return { name, text: this.#generation === 0 ? text : `${text} /* ${this.#generation} */` };
  }

  /** A newer node has changed the tables: earlier plans are refused, on each connection. One of them was this statement's. */
  renew(name = ''): void {
    if (!name.startsWith(this.#prefix)) return;
    this.#generation += 1;
    this.#names.clear();
  }

  get #prefix(): string {
    return `linnet_${this.#generation}_`;
  }
}
