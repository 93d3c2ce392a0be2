/**
 * What the system refuses for now, and may take later: descriptors, room, memory, a disk that does not answer. SQLite says
 * "can't open" when there is no descriptor left.
 */
const passing =
  /^(EMFILE|ENFILE|ENOSPC|EDQUOT|EIO|ENOMEM|EAGAIN|EBUSY|ETIMEDOUT|ESTALE|EROFS|EACCES|EPERM|SQLITE_(CANTOPEN|IOERR|FULL|NOMEM|BUSY|READONLY|LOCKED).*)$/;

export const isPassing = (cause: unknown): boolean =>
  passing.test((cause as { code?: unknown } | null)?.code?.toString() ?? '');
