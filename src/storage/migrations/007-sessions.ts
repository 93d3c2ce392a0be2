import type { Migration } from '../migrate.ts';

export const sessions: Migration = () => [];
