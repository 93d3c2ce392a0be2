import { StoreUnavailable } from './errors.ts';

/**
 * Errors that a retry may not meet again: no descriptors, space or memory left, a disk that does not answer. SQLite reports
 * "can't open" if there is no descriptor left.
 */
const transient =
  /^(EMFILE|ENFILE|ENOSPC|EDQUOT|EIO|ENOMEM|EAGAIN|EBUSY|ETIMEDOUT|ESTALE|EROFS|EACCES|EPERM|SQLITE_(CANTOPEN|IOERR|FULL|NOMEM|BUSY|READONLY|LOCKED).*)$/;

export const isTransient = (cause: unknown): boolean =>
  transient.test((cause as { code?: unknown } | null)?.code?.toString() ?? '');

/** The database or the disk refused, and may accept the same later. */
export const isUnavailable = (cause: unknown): boolean =>
  cause instanceof StoreUnavailable || isTransient(cause);
