/** An answer ready to be sent, of ASCII alone. */
export interface ExpressAnswer {
  /** All lines of its head, save for the date and the empty one. */
  readonly head: string;
  readonly body: string;
  /** What it has to wait for, if anything. */
  readonly kept: Promise<void> | null;
}
