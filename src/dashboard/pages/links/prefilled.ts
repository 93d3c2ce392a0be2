import { queryWith } from '../../query-string.ts';
import { emptyInput, type NewLinkInput } from './new-link-options.tsx';

/** The address of the page of links with a new link prefilled. `domain` is empty for the service's own. */
export const newLinkAt = (domain: string, suffix: string): string =>
  `/app${queryWith('', { new_suffix: suffix, new_domain: domain || null })}`;

/** The prefilled values of such an address; null if there are none. */
export function prefilled(search: string): NewLinkInput | null {
  const query = new URLSearchParams(search);
  const suffix = query.get('new_suffix');
  return suffix === null ? null : { ...emptyInput, suffix, domain: query.get('new_domain') ?? '' };
}
