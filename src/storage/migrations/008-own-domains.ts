import type { Migration } from '../migrate.ts';

export const ownDomains: Migration = () => [];
