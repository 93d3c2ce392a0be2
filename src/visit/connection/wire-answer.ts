/** An answer ready to be sent, in ASCII. */
export interface WireAnswer {
  /** All lines of its head, except for the date and the empty line. */
  readonly head: string;
  readonly body: string;
  /** Whether it has to wait for the end of the tick, when its click is in the journal. */
  readonly waits: boolean;
}
