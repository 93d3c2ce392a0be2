import type { QueryForwarding } from '../rules/destinations/forwarding.ts';
import { type LinkForVisitor, withForwarding } from '../rules/link-rules/resolve.ts';
import type { LinkLookup } from '../storage/database.ts';

/** Links without a setting of their own forward queries as the instance does (`FORWARD_QUERY`). */
export function withDefaultForwarding(lookup: LinkLookup, forwardQuery: QueryForwarding): LinkLookup {
  if (forwardQuery === 'none') return lookup;
  const applied = (link: LinkForVisitor | null): LinkForVisitor | null =>
    link && withForwarding(link, forwardQuery);
  return (domainId, suffix) => {
    const found = lookup(domainId, suffix);
    return found instanceof Promise ? found.then(applied) : applied(found);
  };
}
