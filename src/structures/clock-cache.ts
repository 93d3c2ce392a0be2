import { ownText } from '../rules/text.ts';

/**
 * A bounded map that forgets what was asked for least lately, near enough: a hand goes round over the entries, and who
 * was asked for since it last came by gets another round. A hit costs one look-up and a mark.
 */
export class ClockCache<Value> {
  readonly #places = new Map<string, number>();
  readonly #keys: (string | undefined)[] = [];
  readonly #values: (Value | undefined)[] = [];
  readonly #marks: boolean[] = [];
  readonly #free: number[] = [];
  readonly #most: number;
  readonly #weigh: (key: string, value: Value) => number;
  #weight = 0;
  #hand = 0;

  constructor(most: number, weigh: (key: string, value: Value) => number = () => 1) {
    this.#most = most;
    this.#weigh = weigh;
  }

  get(key: string): Value | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    this.#marks[place] = true;
    return this.#values[place];
  }

  set(found: string, value: Value): void {
    const key = ownText(found);
    this.delete(key);
    const weight = this.#weigh(key, value);
    while (this.#weight + weight > this.#most && this.#places.size > 0) this.#forgetOne();
    // Where the hand has just been: it comes by last.
    const place = this.#free.pop() ?? this.#keys.length;
    this.#keys[place] = key;
    this.#values[place] = value;
    this.#marks[place] = false;
    this.#places.set(key, place);
    this.#weight += weight;
  }

  delete(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#weight -= this.#weigh(key, this.#values[place] as Value);
    this.#places.delete(key);
    this.#keys[place] = undefined;
    this.#values[place] = undefined;
    this.#free.push(place);
  }

  clear(): void {
    this.#places.clear();
    for (const list of [this.#keys, this.#values, this.#marks, this.#free]) list.length = 0;
    this.#weight = 0;
    this.#hand = 0;
  }

  get size(): number {
    return this.#places.size;
  }

  #forgetOne(): void {
    for (;;) {
      const place = this.#hand;
      this.#hand = (place + 1) % this.#keys.length;
      const key = this.#keys[place];
      if (key === undefined) continue;
      if (this.#marks[place] !== true) {
        this.delete(key);
        return;
      }
      this.#marks[place] = false;
    }
  }
}
