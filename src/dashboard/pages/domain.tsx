import type { Domain } from '../api-types.ts';
import { call } from '../client.ts';
import { counted, day } from '../format.ts';
import { Loaded, Page } from '../parts/page.tsx';
import { type Query, useQuery } from '../queries.ts';
import { useIntervalWhileVisible } from '../visibility.ts';
import { DeleteDomain } from './domain/delete-domain.tsx';
import { DnsRecords } from './domain/dns-records.tsx';
import { DomainFallbackForm } from './domain/domain-fallbacks.tsx';
import { DomainName, DomainState } from './domain/state.tsx';

/** How often the page loads the results of the server's own checks. */
const reloadInterval = 4_000;

export function DomainPage({ id }: { id: string }) {
  const query = useQuery(`domain ${id}`, () => call('GET /api/v1/domain/{id}', { params: { id } }));
  const isSettled = query.data.value?.state === 'verified';
  useIntervalWhileVisible(() => void query.reload(), isSettled ? null : reloadInterval);
  return (
    <Page title={query.data.value?.domain_unicode ?? 'Domain'} isTitleUnseen>
      <p class="back">
        <a href="/app/domains">Domains</a>
      </p>
      <Loaded query={query}>{(domain) => <DomainSections domain={domain} query={query} />}</Loaded>
    </Page>
  );
}

function DomainSections({ domain, query }: { domain: Domain; query: Query<Domain> }) {
  return (
    <>
      <div class="page-head narrow">
        <div>
          <p class="title">
            <DomainName {...domain} />
          </p>
          <p class="about">{sentenceOf(domain)}</p>
        </div>
        <DomainState {...domain} />
      </div>
      {domain.state !== 'pending' && (
        <p class="small">
          <a href={`/app/stats?view=not-found&domain=${domain.domain}`}>
            Requested addresses without a link here
          </a>
        </p>
      )}
      <div class="sections">
        <DnsRecords domain={domain} query={query} />
        <DomainFallbackForm key={domain.id} domain={domain} query={query} />
        <DeleteDomain domain={domain} />
      </div>
    </>
  );
}

function sentenceOf({ state, verified_at, links }: Domain): string {
  if (state === 'pending')
    return 'Create these records where the DNS of this domain is managed. Linnet checks automatically and shows here what it finds; this can take some minutes.';
  const since = verified_at ? ` since ${day(verified_at)}` : '';
  if (state === 'verified') return `Verified${since}, with ${counted(links, 'link')}.`;
  return 'The proof is no longer in the DNS. Restore it within three days, or the domain is released and its links stop working.';
}
