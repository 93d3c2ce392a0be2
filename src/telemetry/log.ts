import { AsyncLocalStorage } from 'node:async_hooks';

type LogLevel = 'error' | 'warn' | 'info';

/** More than there are distinct events: an event is a fixed text, and its details are in its facts. */
const maxEvents = 200;

const rank: Record<LogLevel, number> = { error: 0, warn: 1, info: 2 };

/** Those that JSON leaves as they are: DEL, C1 controls, which terminals obey, and what some programs take for the end of a line. */
const controls = /[\u007f-\u009f\u2028\u2029]/g;
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

// Otherwise a line that can't be written, because the disk of the log is full or its reader has ended, ends the program.
process.stderr.on('error', () => {});

interface EventCount {
  readonly level: LogLevel;
  readonly event: string;
  count: number;
}

/** One line of JSON per event, on standard error: standard output is for the person who started the program. */
export class Log {
  readonly #maxRank: number;
  readonly #write: (line: string) => void;
  readonly #request = new AsyncLocalStorage<string>();
  readonly #counts = new Map<string, EventCount>();
  readonly #lastWarning = new Map<string, { at: number; suppressed: number }>();

  constructor(level: LogLevel, write: (line: string) => void = (line) => void process.stderr.write(line)) {
    this.#maxRank = rank[level];
    this.#write = (line) => write(line.replace(controls, escaped));
  }

  /** Lines written during the call, and by asynchronous work that it starts, include the id of this request. */
  during<T>(request: string, run: () => T): T {
    return this.#request.run(request, run);
  }

  /** Writes complete lines, such as those of the access log. */
  lines(text: string): void {
    this.#write(text);
  }

  info(event: string, facts: Record<string, unknown> = {}): void {
    this.#line('info', event, facts);
  }

  /** For repeated events: at most one line per second and event, with the number of those suppressed. */
  warn(event: string, facts: Record<string, unknown> = {}): void {
    this.#count('warn', event);
    const now = performance.now();
    const last = this.#lastWarning.get(event);
    if (last && now - last.at < 1_000) {
      last.suppressed += 1;
      return;
    }
    this.#lastWarning.set(event, { at: now, suppressed: 0 });
    this.#line('warn', event, last?.suppressed ? { ...facts, held_back: last.suppressed } : facts);
  }

  /** For rare events with individual facts: no line is suppressed. */
  warnEach(event: string, facts: Record<string, unknown>): void {
    this.#count('warn', event);
    this.#line('warn', event, facts);
  }

  /** For our own faults. The stack is logged here and shown nowhere else. */
  error(event: string, cause: unknown, facts: Record<string, unknown> = {}): void {
    this.#count('error', event);
    const error =
      cause instanceof Error ? { error: cause.message, stack: cause.stack } : { error: String(cause) };
    this.#line('error', event, { ...facts, ...error });
  }

  /** Warnings and errors since the start, including those suppressed or below the log level. */
  counts(): readonly EventCount[] {
    return [...this.#counts.values()];
  }

  #count(level: LogLevel, event: string): void {
    const key = `${level} ${event}`;
    const known = this.#counts.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#counts.size < maxEvents) this.#counts.set(key, { level, event, count: 1 });
  }

  #line(level: LogLevel, event: string, facts: Record<string, unknown>): void {
    if (rank[level] > this.#maxRank) return;
    const request = this.#request.getStore();
    const allFacts = request === undefined ? facts : { request, ...facts };
    this.#write(`${JSON.stringify({ at: new Date().toISOString(), level, event, ...allFacts })}\n`);
  }
}
