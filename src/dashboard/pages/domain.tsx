import { useAction } from '../action.ts';
import { asApiError } from '../api-error.ts';
import type { Domain } from '../api-types.ts';
import { call } from '../client.ts';
import { counted, day } from '../format.ts';
import { notify } from '../notices.ts';
import { confirmingPrint } from '../on-paper.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorBox } from '../parts/error-box.tsx';
import { Loaded, Page } from '../parts/page.tsx';
import { Section } from '../parts/section.tsx';
import { type Query, refresh, useQuery } from '../queries.ts';
import { askBefore } from '../questions.ts';
import { isOn, navigate } from '../router.ts';
import { useIntervalWhileVisible } from '../visibility.ts';
import { DnsRecords } from './domain/dns-records.tsx';
import { DomainFallbackForm } from './domain/domain-fallbacks.tsx';
import { DomainName, DomainState } from './domain/state.tsx';

/** How often the page loads the results of the server's own checks. */
const reloadInterval = 4_000;

export function DomainPage({ id }: { id: string }) {
  const query = useQuery(`domain ${id}`, () => call('GET /api/v1/domain/{id}', { params: { id } }));
  const isSettled = query.data.value?.state === 'verified';
  // Also after it has loaded: it may be deleted in another window, and Back leads to a page whose domain was deleted there.
  const isMissing = [400, 404].includes(query.error.value?.status ?? 0);
  useIntervalWhileVisible(() => void query.reload(), isSettled || isMissing ? null : reloadInterval);
  return (
    <Page title={query.data.value?.domain_unicode ?? 'Domain'} isTitleUnseen>
      <p class="back soft small">
        <a href="/app/domains">Domains</a>
      </p>
      {isMissing ? (
        <Empty title="There is no such domain">
          <p>It may have been deleted, or belong to another organization.</p>
          <a class="button" href="/app/domains">
            Show all domains
          </a>
        </Empty>
      ) : (
        <Loaded query={query}>{(domain) => <DomainSections domain={domain} query={query} />}</Loaded>
      )}
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
          <p class="about soft">{sentenceOf(domain)}</p>
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

function DeleteDomain({ domain }: { domain: Domain }) {
  /** `isTold`: the user knows of the links and aliases on it. Others are asked about before they are deleted. */
  const remove = useAction(async (isTold: boolean) => {
    try {
      await confirmingPrint((confirm) =>
        call('DELETE /api/v1/domain/{id}', {
          params: { id: domain.id },
          query: { confirm, ...(isTold && { links: 'delete' as const }) },
        }),
      );
    } catch (cause) {
      if (isTold || asApiError(cause).code !== 'DOMAIN_HAS_LINKS') throw cause;
      const { links } = await call('GET /api/v1/domain/{id}', { params: { id: domain.id } });
      if (isOn(`/app/domains/${domain.id}`)) ask(links > 0 ? withLinks(links) : withAliases);
      return;
    }
    notify(`${domain.domain_unicode} deleted.`);
    refresh('domain', 'links');
    if (isOn(`/app/domains/${domain.id}`)) navigate('/app/domains', { force: true });
  });
  const ask = ({ sentence, what }: Loss) =>
    askBefore({
      title: `Delete ${domain.domain_unicode}?`,
      sentence,
      action: `Delete domain${what && ` and ${what}`}`,
      act: () => void remove.run(what !== ''),
    });
  return (
    <Section
      title="Delete domain"
      about={
        domain.links > 0
          ? `It has ${counted(domain.links, 'link')}. ${domain.links === 1 ? 'It is deleted with the domain, and its address stops' : 'They are deleted with it, and their addresses stop'} working at once.`
          : 'It has no links.'
      }
    >
      <ErrorBox error={remove.error.value} onRetry={() => void remove.run(domain.links > 0)} />
      <Button
        kind="danger"
        icon="trash"
        onClick={() => ask(domain.links > 0 ? withLinks(domain.links) : withoutLinks)}
      >
        Delete domain
      </Button>
    </Section>
  );
}

/** What is deleted with a domain. */
interface Loss {
  readonly sentence: string;
  readonly what: string;
}

const withoutLinks: Loss = {
  sentence:
    'It can be added again later, with a new proof in the DNS. Links on it that were deleted before can no longer be restored.',
  what: '',
};

const withLinks = (links: number): Loss => ({
  sentence: `${links === 1 ? 'Its link is deleted with it, and stops' : `Its ${counted(links, 'link')} are deleted with it, and stop`} working on paper and on screens. So do aliases of other links on this domain. This can't be undone.`,
  what: counted(links, 'link'),
});

const withAliases: Loss = {
  sentence:
    "There are aliases of links on it, which stop working on paper and on screens. The links stay. This can't be undone.",
  what: 'aliases',
};
