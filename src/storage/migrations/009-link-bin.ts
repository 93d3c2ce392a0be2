import type { Migration } from '../migrate.ts';

export const linkBin: Migration = () => [];
