/**
 * The progress of a read, which its thread and its caller share in memory. This file has no imports: every reader's thread loads
 * them again, and a query builder takes 70 ms.
 */
export const readState = { waiting: 0, begun: 1, stopped: 2 } as const;

/** The error code of a statement that was stopped while running, or before it began. */
export const stoppedCode = 'READ_STOPPED';
export const isStopped = (cause: unknown): boolean => (cause as { code?: string }).code === stoppedCode;
