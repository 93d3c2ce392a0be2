import { useEffect } from 'preact/hooks';
import { call } from './client.ts';
import type { Choice } from './parts/field.tsx';
import { useQuery } from './queries.ts';
import { setup } from './session.ts';
import { namesOfHosts } from './short-links.ts';

interface OwnDomains {
  /** Whether they have loaded, or failed to load. */
  readonly areLoaded: boolean;
  readonly own: readonly Choice[];
  /** Those that no link can be created on yet. */
  readonly pending: readonly Choice[];
}

/** Choices for filtering a list of links by domain. */
export const domainFilter = (own: readonly Choice[]): readonly Choice[] => {
  const serviceDomain = setup.value?.default_domain ?? '';
  return [{ value: '', label: 'Any domain' }, { value: serviceDomain, label: serviceDomain }, ...own];
};

/** The organization's domains that links can be created on. */
export function useOwnDomains(): OwnDomains {
  const { data, error } = useQuery('domains', () => call('GET /api/v1/domain'));
  const choices = (arePending: boolean): readonly Choice[] =>
    (data.value ?? [])
      .filter(({ state }) => (state === 'pending') === arePending)
      .map(({ domain, domain_unicode }) => ({ value: domain, label: domain_unicode }));
  const own = choices(false);
  useEffect(() => {
    if (data.value) namesOfHosts.value = new Map(own.map(({ value, label }) => [value, label]));
  }, [data.value]);
  return { areLoaded: data.value !== undefined || error.value !== null, own, pending: choices(true) };
}
