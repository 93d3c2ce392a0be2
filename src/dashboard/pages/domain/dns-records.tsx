import { useAction } from '../../action.ts';
import type { DnsRecord, Domain } from '../../api-types.ts';
import { call } from '../../client.ts';
import { day, since } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Section } from '../../parts/section.tsx';
import { StateChip } from '../../parts/state-chip.tsx';
import { type Query, refresh } from '../../queries.ts';
import { setup } from '../../session.ts';
import { certificateProblem } from './state.tsx';

const purposes = {
  proof: 'Proves that the domain is yours',
  address: 'Leads visitors here',
} as const;

const states = {
  ok: { word: 'Seen', tone: 'good', icon: 'check' },
  missing: { word: 'Not there yet', tone: 'warn', icon: 'clock' },
  wrong: { word: 'Something else is there', tone: 'bad', icon: 'warning' },
  unknown: { word: 'Not known yet', tone: '', icon: 'clock' },
} as const;

export function DnsRecords({ domain, query }: { domain: Domain; query: Query<Domain> }) {
  const check = useAction(async () => {
    query.data.value = await call('POST /api/v1/domain/{id}/verify', { params: { id: domain.id } });
    refresh('domains');
  });
  const problems = [domain.problem, certificateProblem(domain)].filter((problem) => problem !== null);
  const optional = domain.records.filter(({ is_required }) => !is_required).length;
  return (
    <Section
      title="DNS records"
      about={domain.checked_at ? `Looked up ${since(domain.checked_at)}.` : 'Not looked up yet.'}
      actions={
        <Button icon="refresh" isSlim disabled={check.isRunning.value} onClick={() => void check.run()}>
          {check.isRunning.value ? 'Checking' : 'Check now'}
        </Button>
      }
    >
      <div class="stack tight">
        <ErrorBox error={check.error.value} />
        {problems.map((problem) => (
          <div key={problem} class="callout" role="status">
            {problem}
          </div>
        ))}
        {domain.certificate && !domain.certificate.problem && (
          <p class="soft">
            {domain.certificate.valid_until
              ? `Its certificate for HTTPS is good until ${day(domain.certificate.valid_until)}, and is renewed automatically.`
              : 'Its certificate for HTTPS is ordered when the first visitor arrives, who waits a few seconds for it.'}
          </p>
        )}
        {setup.value?.domains_lead_here === false && (
          <div class="callout" role="note">
            <p>
              Linnet is currently at {setup.value.origin}, only for this machine. Set <code>BASE_URL</code>,
              where it runs, to an address that people reach, and start it again: then the record that leads
              visitors here is shown.
            </p>
          </div>
        )}
        {domain.records.map((record) => (
          <RecordCard
            key={`${record.type} ${record.name} ${record.value}`}
            record={record}
            isOneOfMany={!record.is_required && optional > 1}
          />
        ))}
      </div>
    </Section>
  );
}

function RecordCard({ record, isOneOfMany }: { record: DnsRecord; isOneOfMany: boolean }) {
  return (
    <div class="panel dns-record">
      <header>
        <h3>
          {purposes[record.purpose]}
          {isOneOfMany && <span class="soft"> (one of these is enough)</span>}
        </h3>
        <StateChip {...states[record.state]} />
      </header>
      <dl>
        <Fact name="Type">
          <code>{record.type}</code>
        </Fact>
        <Fact name="Name">
          <code>{record.name}</code>
          <CopyButton text={record.name} what={`name of the ${record.type} record`} isBare isSlim />
        </Fact>
        <Fact name="Value">
          <code>{record.value}</code>
          <CopyButton text={record.value} what={`value of the ${record.type} record`} isBare isSlim />
        </Fact>
        {record.state !== 'ok' && record.seen.length > 0 && (
          <Fact name="Seen">
            <code class="soft">{record.seen.join(', ')}</code>
          </Fact>
        )}
      </dl>
    </div>
  );
}
