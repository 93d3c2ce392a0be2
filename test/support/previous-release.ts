/**
 * The release before this version, as a commit of this repository. With each release it becomes that release's tag, and `newestMigration` in
 * src/storage/migrate.ts of that tag. Nothing was released yet: it is where migrations began to expand first and to contract later.
 */
export const previousRelease = {
  commit: 'ace1fa9081f27e5d62b74692039bed73761e0060',
  newestMigration: 45,
} as const;
