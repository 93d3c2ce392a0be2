import type { Migration } from '../migration.ts';

export const fold: Migration = () => [];
