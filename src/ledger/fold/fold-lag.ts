import { isBefore, type Position } from '../../journal/files.ts';

/** The journal at some moment: all hits before this position, and the time of the first one since the previous mark. */
interface Mark {
  readonly since: number;
  end: Position;
  hits: number;
}

const markLength = 1_000;
/** A fraction of the time that the oldest hit has waited: so even hours of waiting hits have few marks. */
const accuracy = 1 / 600;

/**
 * How far the fold is behind this process's journal, in hits and in time. Marks are set when the fold is woken, at most once a
 * second: so the time is accurate to about a second, and less accurate while clicks wait for hours.
 */
export class FoldLag {
  readonly #marks: Mark[] = [];
  #appended = 0;
  #folded = 0;

  appended(): void {
    this.#appended += 1;
  }

  /** These hits will never be in the journal. */
  dropped(hits: number): void {
    this.#appended -= hits;
  }

  /** Everything appended so far is before this position, except `held` hits that are only in memory. */
  woken(end: Position, held: number, now: number): void {
    const hits = this.#appended - held;
    const last = this.#marks.at(-1);
    if (hits <= (last?.hits ?? this.#folded)) return;
    if (last !== undefined && now - last.since < Math.max(markLength, this.milliseconds(now) * accuracy)) {
      last.end = end;
      last.hits = hits;
    } else this.#marks.push({ since: now, end, hits });
  }

  folded(to: Position): void {
    let mark = this.#marks[0];
    while (mark !== undefined && !isBefore(to, mark.end)) {
      this.#folded = mark.hits;
      this.#marks.shift();
      [mark] = this.#marks;
    }
  }

  /** Includes hits that are only in memory because the disk accepts no writes. */
  get hits(): number {
    return Math.max(0, this.#appended - this.#folded);
  }

  /** How many milliseconds the oldest hit has waited. */
  milliseconds(now: number): number {
    const [oldest] = this.#marks;
    return oldest === undefined ? 0 : Math.max(0, now - oldest.since);
  }

  get total(): number {
    return this.#appended;
  }
}
