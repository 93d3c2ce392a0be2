import { hourOf } from './codes.ts';

/** What stands for all further values once a link had too many in one hour. */
export const otherValues = '(other)';

const mostOwners = 100_000;

/**
 * Values that visitors make up (a UTM parameter, a referrer) could be a new row for every hit. Per link, hour and
 * field only so many are kept apart. Counted from this process's start, and forgotten when too many links are seen.
 */
export class ValueLimit {
  readonly #most: number;
  #hour = 0;
  /** Most have one value, and no set for it. */
  #seen = new Map<number, string | Set<string>>();

  constructor(most = 200) {
    this.#most = most;
  }

  /** `field` is a small number, less than 16. */
  limited(linkId: number, field: number, at: number, value: string): string {
    if (value === '') return value;
    const hour = hourOf(at);
    if (hour !== this.#hour || this.#seen.size > mostOwners) {
      this.#hour = hour;
      this.#seen = new Map();
    }
    const key = linkId * 16 + field;
    const known = this.#seen.get(key);
    if (known === value) return value;
    if (known === undefined) {
      this.#seen.set(key, value);
      return value;
    }
    const values = typeof known === 'string' ? new Set([known]) : known;
    if (values !== known) this.#seen.set(key, values);
    if (values.has(value)) return value;
    if (values.size >= this.#most) return otherValues;
    values.add(value);
    return value;
  }
}
