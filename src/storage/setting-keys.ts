/** Keys of settings that statements without the query builder use too. */

/** The setting with the newest migration that a program must know to write to the store. */
export const minMigrationKey = 'least_migration';

/** The setting with the instant before which hits were deleted because of their age. */
export const deletedBefore = 'hits_deleted_before';
