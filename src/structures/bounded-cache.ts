import { ownText } from '../rules/text.ts';

/**
 * A bounded map that forgets what wasn't asked for lately. Two generations: what is used moves to the young one;
 * when that is full, it becomes the old one, and the old one goes. A hit costs one look-up and no reordering.
 */
export class TwoGenerationCache<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();
  #youngWeight = 0;
  readonly #maxPerGeneration: number;
  readonly #weigh: (key: string, value: Value) => number;

  constructor(most: number, weigh: (key: string, value: Value) => number = () => 1) {
    this.#maxPerGeneration = Math.max(1, Math.floor(most / 2));
    this.#weigh = weigh;
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(found: string, value: Value): void {
    const key = ownText(found);
    this.delete(key);
    this.#young.set(key, value);
    this.#youngWeight += this.#weigh(key, value);
    if (this.#youngWeight <= this.#maxPerGeneration) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngWeight = 0;
  }

  delete(key: string): void {
    const young = this.#young.get(key);
    if (young !== undefined) {
      this.#youngWeight -= this.#weigh(key, young);
      this.#young.delete(key);
    }
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#youngWeight = 0;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
