import type { Migration } from '../migration.ts';

/** Whether a domain has a link that forwards longer paths is queried when an address with more than one segment has no link. */
export const forwardingLinks: Migration = () => [
  'create index links_forwarding on links (domain_id) where forward_path = 1',
];
