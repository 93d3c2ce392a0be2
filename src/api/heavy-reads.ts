/** Heavy reads of one organization that are answered at a time; the rest of them wait. */
const maxUnderWay = 5;

interface Turns {
  underWay: number;
  readonly waiting: (() => void)[];
}

/**
 * Statistics and lists that many ask for at once. What the store answers comes in together, and putting it together holds
 * this thread: with a few of each organization at a time no other organization's call waits for all of them.
 */
export class HeavyReads {
  readonly #turns = new Map<number, Turns>();

  /** Resolves when it is this call's turn; `release` has to follow. */
  async take(organizationId: number): Promise<void> {
    const turns = this.#turns.get(organizationId);
    if (!turns) this.#turns.set(organizationId, { underWay: 1, waiting: [] });
    else if (turns.underWay < maxUnderWay) turns.underWay += 1;
    else await new Promise<void>((begin) => turns.waiting.push(begin));
  }

  release(organizationId: number): void {
    const turns = this.#turns.get(organizationId);
    if (!turns) return;
    const next = turns.waiting.shift();
    if (next) next();
    else if (turns.underWay > 1) turns.underWay -= 1;
    else this.#turns.delete(organizationId);
  }
}
