import type { Migration } from '../migration.ts';

/** Whether a domain has a link that forwards a path is asked when an address with more than one part leads nowhere. */
export const forwardingLinks: Migration = () => [
  'create index links_forwarding on links (domain_id) where forward_path = 1',
];
