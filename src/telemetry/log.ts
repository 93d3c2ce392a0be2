type LogLevel = 'error' | 'warn' | 'info';

const rank: Record<LogLevel, number> = { error: 0, warn: 1, info: 2 };

/** One line of JSON an event, on standard error: standard output is for the person who started the program. */
export class Log {
  readonly #maxRank: number;
  readonly #write: (line: string) => void;
  readonly #lastWarning = new Map<string, { at: number; held: number }>();

  constructor(level: LogLevel, write: (line: string) => void = (line) => void process.stderr.write(line)) {
    this.#maxRank = rank[level];
    this.#write = write;
  }

  info(event: string, facts: Record<string, unknown> = {}): void {
    this.#line('info', event, facts);
  }

  /** For what happens again and again while it lasts: once a second an event, with how many were held back. */
  warn(event: string, facts: Record<string, unknown> = {}): void {
    const now = performance.now();
    const last = this.#lastWarning.get(event);
    if (last && now - last.at < 1_000) {
      last.held += 1;
      return;
    }
    this.#lastWarning.set(event, { at: now, held: 0 });
    this.#line('warn', event, last?.held ? { ...facts, held_back: last.held } : facts);
  }

  /** For what names somebody, and is rare by itself: no line is held back. */
  warnEach(event: string, facts: Record<string, unknown>): void {
    this.#line('warn', event, facts);
  }

  /** For faults of ours. The stack is kept here and shown nowhere else. */
  error(event: string, cause: unknown, facts: Record<string, unknown> = {}): void {
    const error =
      cause instanceof Error ? { error: cause.message, stack: cause.stack } : { error: String(cause) };
    this.#line('error', event, { ...facts, ...error });
  }

  #line(level: LogLevel, event: string, facts: Record<string, unknown>): void {
    if (rank[level] > this.#maxRank) return;
    this.#write(`${JSON.stringify({ at: new Date().toISOString(), level, event, ...facts })}\n`);
  }
}
