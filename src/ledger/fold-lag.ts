import { isBefore, type Position } from '../journal/files.ts';

/** The journal as it was: all hits before this position, and when the first of them that no earlier mark has was there. */
interface Mark {
  readonly since: number;
  end: Position;
  hits: number;
}

const markLength = 1_000;
const maxMarks = 600;

/**
 * How far the fold is behind this process's journal, in hits and in time. Marks are set whenever the fold is woken, one a second at most:
 * so the time is right to about a second, and to some more while clicks wait for hours.
 */
export class FoldLag {
  #marks: Mark[] = [];
  #appended = 0;
  #folded = 0;

  appended(): void {
    this.#appended += 1;
  }

  /** They will never be in the journal. */
  dropped(hits: number): void {
    this.#appended -= hits;
  }

  /** Everything appended so far is before this position, save so many that are in memory only. */
  woken(end: Position, held: number, now: number): void {
    const hits = this.#appended - held;
    const last = this.#marks.at(-1);
    if (hits <= (last?.hits ?? this.#folded)) return;
    if (last !== undefined && now - last.since < markLength) {
      last.end = end;
      last.hits = hits;
      return;
    }
    this.#marks.push({ since: now, end, hits });
    if (this.#marks.length > maxMarks) this.#thinOut();
  }

  folded(to: Position): void {
    let mark = this.#marks[0];
    while (mark !== undefined && !isBefore(to, mark.end)) {
      this.#folded = mark.hits;
      this.#marks.shift();
      [mark] = this.#marks;
    }
  }

  /** Of those in memory too, which the disk doesn't take. */
  get hits(): number {
    return Math.max(0, this.#appended - this.#folded);
  }

  /** For how many milliseconds the oldest has waited. */
  milliseconds(now: number): number {
    const [oldest] = this.#marks;
    return oldest === undefined ? 0 : Math.max(0, now - oldest.since);
  }

  get total(): number {
    return this.#appended;
  }

  #thinOut(): void {
    const thinned: Mark[] = [];
    for (let index = 0; index < this.#marks.length; index += 2) {
      const [one, next] = this.#marks.slice(index, index + 2);
      if (one !== undefined) thinned.push(next === undefined ? one : { ...next, since: one.since });
    }
    this.#marks = thinned;
  }
}
