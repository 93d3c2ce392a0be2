/**
 * The release before this version, as a commit of this repository. At each release, set it to that release's tag and to
 * the number of its newest migration. Nothing has been released yet: this commit is the first whose
 * migrations expand first and contract later.
 */
export const previousRelease = {
  commit: 'ace1fa9081f27e5d62b74692039bed73761e0060',
  newestMigration: 45,
} as const;
