const none = () => ({
  sent: 0,
  /** No answer came. */
  unreachable: 0,
  refused: 0,
  too_slow: 0,
  insertions: 0,
  insertedHits: 0,
  insertionMilliseconds: 0,
});

/** Calls of a thread to the server with the individual hits, for metrics. */
export type ClickServerCalls = ReturnType<typeof none>;

/** The calls of this thread. A thread without metrics of its own passes them to another thread. */
export const clickServerCalls = none();

/** Whether the server was unavailable at the last call of this thread, or of a thread that passes its calls to this one. */
export const clickServerState = { isUnavailable: false };

/** The calls since this function was last called; null if there were none. */
export function takeClickServerCalls(): ClickServerCalls | null {
  if (clickServerCalls.sent === 0) return null;
  const taken = { ...clickServerCalls };
  Object.assign(clickServerCalls, none());
  return taken;
}

export function addClickServerCalls(calls: ClickServerCalls, isUnavailable: boolean): void {
  for (const name of Object.keys(calls) as (keyof ClickServerCalls)[]) clickServerCalls[name] += calls[name];
  clickServerState.isUnavailable = isUnavailable;
}
