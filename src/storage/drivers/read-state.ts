/**
 * How far a statement is that is read, as thread and caller tell each other in shared memory. Beside the thread's own code
 * and free of imports: whatever a thread imports is loaded anew for each of the readers, and a query builder takes 70 ms.
 */
export const readState = { waiting: 0, begun: 1, stopped: 2 } as const;

/** What the thread says of one that was stopped before it was done, or before it was begun. */
export const stoppedCode = 'READ_STOPPED';
export const isStopped = (cause: unknown): boolean => (cause as { code?: string }).code === stoppedCode;
