import type { Organization } from '../api-types.ts';
import { call } from '../client.ts';
import { CorrectionList, useCorrections } from '../corrections/correction-list.tsx';
import { EraseClicks } from '../corrections/erase-clicks.tsx';
import { since } from '../format.ts';
import { NameSection } from '../parts/name-section.tsx';
import { Loaded, Page } from '../parts/page.tsx';
import { RedeliverFailed } from '../parts/redeliver-failed.tsx';
import { Section } from '../parts/section.tsx';
import { refresh, useQuery } from '../queries.ts';
import { me } from '../session.ts';
import { InstanceHealth } from './organization/instance-health.tsx';
import { OutstandingInvitations } from './organization/invitations.tsx';
import { Members } from './organization/members.tsx';
import { QrSection, WatchSection } from './organization/switch-sections.tsx';

export function OrganizationPage() {
  const query = useQuery('organization', () => call('GET /api/v1/organization'));
  const isAdministrator = me.value?.role === 'administrator';
  return (
    <Page title="Organization" about="Its members work on the same links, tags and domains.">
      <div class="sections">
        <Loaded query={query}>
          {(organization) => (
            <>
              <OrganizationName organization={organization} isEditable={isAdministrator} />
              <FailingWebhooks />
              <Members isAdministrator={isAdministrator} />
              {isAdministrator && <OutstandingInvitations />}
              {isAdministrator && <QrSection organization={organization} />}
              {isAdministrator && <WatchSection organization={organization} />}
              {isAdministrator && <EraseSection />}
              {isAdministrator && organization.runs_instance && <InstanceHealth />}
            </>
          )}
        </Loaded>
      </div>
    </Page>
  );
}

function OrganizationName({ organization, isEditable }: { organization: Organization; isEditable: boolean }) {
  if (!isEditable) {
    return (
      <Section title="Name">
        <p>{organization.name}</p>
      </Section>
    );
  }
  return (
    <NameSection
      about="Shown to members and to people who are invited."
      label="The organization's name"
      required
      maxLength={200}
      savedName={organization.name}
      save={async (name) => {
        const changed = await call('PATCH /api/v1/organization', { body: { name } });
        if (me.value) me.value = { ...me.value, organization_name: changed.name };
        refresh('organization');
        return changed.name;
      }}
    />
  );
}

const all = { kind: 'all' } as const;

/** For administrators: erases clicks of all links, and lists the corrections of all links. */
function EraseSection() {
  const { corrections, showMore } = useCorrections(all);
  return (
    <Section
      title="Erase clicks"
      about="Of all links, for some days or all time. Those of one link are erased on its statistics page."
      isFlush={corrections.length > 0}
      actions={<EraseClicks scope={all} days={null} />}
    >
      {corrections.length > 0 && <CorrectionList scope={all} corrections={corrections} showMore={showMore} />}
    </Section>
  );
}

/** Only shown while a target fails, and afterwards as long as failed messages can be sent again. */
function FailingWebhooks() {
  const query = useQuery('webhook outages', () => call('GET /api/v1/webhook_outages'));
  const { webhook_outages: outages = [], total_failed: failed = 0 } = query.data.value ?? {};
  if (outages.length === 0 && failed === 0) return null;
  const isOver = outages.length === 0;
  return (
    <Section
      title={isOver ? 'Failed webhooks' : 'Failing webhooks'}
      about={isOver && 'Messages that were given up after all retries. No target is failing now.'}
      isFlush
    >
      {!isOver && (
        <ul class="rows">
          {outages.map(({ target_url, since: began, last_failed_at, told_at }) => (
            <li key={target_url}>
              <div class="who">
                <p class="cut">{target_url}</p>
                <p class="soft small">
                  First failed {since(began)}, last tried {since(last_failed_at)}
                  {told_at && ' · administrators were notified by mail'}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      <div class="pad">
        {failed > 0 ? (
          <RedeliverFailed failed={failed} />
        ) : (
          <p class="soft small">
            Nothing has failed permanently so far: each message is retried for three days.
          </p>
        )}
      </div>
    </Section>
  );
}
