import { Refusal, refusalOfAll } from '../rules/errors.ts';

/** More aren't looked for: an answer lists no more, and a call may have thousands. */
const maxRefusals = 25;

/** What a call's independent fields are refused for, so that it is told everything at once. */
export class FieldRefusals {
  readonly #found: Refusal[] = [];

  get areNone(): boolean {
    return this.#found.length === 0;
  }

  /** The result of a check; undefined if it refuses. */
  check<T>(check: () => T): T | undefined {
    if (this.#found.length >= maxRefusals) return undefined;
    try {
      return check();
    } catch (cause) {
      this.add(cause);
      return undefined;
    }
  }

  async checkLater<T>(check: () => Promise<T>): Promise<T | undefined> {
    if (this.#found.length >= maxRefusals) return undefined;
    try {
      return await check();
    } catch (cause) {
      this.add(cause);
      return undefined;
    }
  }

  /** Anything that isn't about a field is thrown: the other fields don't matter then. */
  add(cause: unknown): void {
    if (!(cause instanceof Refusal) || cause.field === undefined) throw cause;
    if (this.#found.length < maxRefusals) this.#found.push(cause);
  }

  /** Throws one refusal for all. */
  throwIfAny(): void {
    if (!this.areNone) throw refusalOfAll(this.#found.flatMap((refusal) => refusal.problems));
  }
}
