import type { Migration } from '../migrate.ts';

export const fold: Migration = () => [];
