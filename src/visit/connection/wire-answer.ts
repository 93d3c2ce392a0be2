/** An answer ready to be sent, of ASCII alone. */
export interface ExpressAnswer {
  /** All lines of its head, save for the date and the empty one. */
  readonly head: string;
  readonly body: string;
  /** Whether it has to wait for this turn's end: only then is its click on file. */
  readonly waits: boolean;
}
