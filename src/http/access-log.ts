/** An answer in the access log, without the visitor and the query. */
export interface Answered {
  readonly request: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
}

export type NoteAnswer = (answered: Answered) => void;

const flushInterval = 100;
const maxUnwritten = 64 * 1024;
const maxShown = 500;

/** Paths whose address alone grants access. */
const secretPath = /^\/(invitation|app\/reset)\/.+/;

/** A line of JSON for each answer, written many at a time. */
export class AccessLog {
  readonly #write: (lines: string) => void;
  #lines = '';
  #timer: Timer | undefined;

  constructor(write: (lines: string) => void) {
    this.#write = write;
  }

  readonly note: NoteAnswer = ({ host, path, milliseconds, ...rest }) => {
    const shown = {
      ...rest,
      host: host.slice(0, maxShown),
      path: path.replace(secretPath, '/$1/…').slice(0, maxShown),
      milliseconds: Math.round(milliseconds * 1_000) / 1_000,
    };
    this.#lines += `${JSON.stringify({ at: new Date().toISOString(), level: 'info', event: 'request', ...shown })}\n`;
    if (this.#lines.length > maxUnwritten) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), flushInterval);
  };

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = '';
    if (lines !== '') this.#write(lines);
  }
}
