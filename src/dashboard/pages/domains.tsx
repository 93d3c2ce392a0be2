import { useSignal } from '@preact/signals';
import { useAction } from '../action.ts';
import type { Domain } from '../api-types.ts';
import { call } from '../client.ts';
import { useCreateOnce } from '../create-once.ts';
import { counted } from '../format.ts';
import { Empty } from '../parts/empty.tsx';
import { Form, FormField, Submit } from '../parts/form.tsx';
import { Loaded, Page } from '../parts/page.tsx';
import { refresh, useQuery } from '../queries.ts';
import { navigate } from '../router.ts';
import { setup } from '../session.ts';
import { certificateProblem, DomainName, DomainState } from './domain/state.tsx';

export function DomainsPage() {
  const domains = useQuery('domains', () => call('GET /api/v1/domain'));
  return (
    <Page title="Domains" about="Links on your own domain stay yours: you can take it with you.">
      <div class="sections">
        {setup.value?.domains_lead_here === false ? <NoAddressYet /> : <AddDomain />}
        <Loaded query={domains}>{(known) => <DomainRows domains={known} />}</Loaded>
      </div>
    </Page>
  );
}

function NoAddressYet() {
  return (
    <div class="callout" role="note">
      <p>
        Linnet is currently at {setup.value?.origin}, only for this machine: no domain can point here. First
        set <code>BASE_URL</code>, where Linnet runs, to an address that people reach, such as
        https://links.example.com, and start it again.
      </p>
    </div>
  );
}

function AddDomain() {
  const name = useSignal('');
  const createOnce = useCreateOnce();
  const add = useAction(async () => {
    const domain = await createOnce('POST /api/v1/domain', { body: { domain: name.value } });
    name.value = '';
    refresh('domains');
    navigate(`/app/domains/${domain.id}`);
  });
  return (
    <Form action={add} fields={['domain']} canRetry>
      <FormField
        field="domain"
        label="Domain or subdomain"
        hint="A name whose DNS you control. A subdomain is the simplest: the rest of the domain stays as it is."
        placeholder="go.example.com"
        required
        spellcheck={false}
        autocomplete="off"
        signal={name}
      />
      <div class="actions">
        <Submit kind="primary">Add domain</Submit>
      </div>
    </Form>
  );
}

function DomainRows({ domains }: { domains: readonly Domain[] }) {
  if (domains.length === 0) {
    return (
      <Empty title="No custom domain yet">
        <p>Until there is one, your links are on {setup.value?.default_domain}.</p>
      </Empty>
    );
  }
  return (
    <ul class="panel rows">
      {domains.map((domain) => (
        <li key={domain.id}>
          <div class="who">
            <p class="cut">
              <a href={`/app/domains/${domain.id}`}>
                <DomainName {...domain} />
              </a>
            </p>
            <p class="soft small">{counted(domain.links, 'link')}</p>
          </div>
          <DomainState {...domain} />
          {certificateProblem(domain) && <p class="below small">{certificateProblem(domain)}</p>}
        </li>
      ))}
    </ul>
  );
}
