/**
 * On PostgreSQL folds share this lock, and the start of a sweep takes it exclusively: a batch with words fetched earlier is then
 * either in the store before the search begins, or sees that a sweep has begun.
 */
export const wordSweepLock = 1_819_635_314;
export const shareWordsSql = `select pg_advisory_xact_lock_shared(${wordSweepLock})`;
