import type { Contraction, Migration } from './migration.ts';
import * as allMigrations from './migrations.ts';

/** In the order of their names, as a module's exports are. */
export const migrations: readonly (Migration | Contraction)[] = Object.values(allMigrations);

/** The number of the newest migration, which an up-to-date store has. */
export const newestMigration = migrations.length;
