import { dayLength } from './durations.ts';

/** How long a deleted link can be restored, and reserves its suffix. */
export const binDays = 30;

export const freeAt = (deletedAt: number): number => deletedAt + binDays * dayLength;
/** Links that were deleted at this instant or before can no longer be restored. */
export const restorableAfter = (now: number): number => now - binDays * dayLength;
