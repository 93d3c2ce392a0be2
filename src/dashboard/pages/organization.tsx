import type { Organization } from '../api-types.ts';
import { call } from '../client.ts';
import { CorrectionList, useCorrections } from '../corrections/correction-list.tsx';
import { EraseClicks } from '../corrections/erase-clicks.tsx';
import { NameSection } from '../parts/name-section.tsx';
import { Loaded, Page } from '../parts/page.tsx';
import { Section } from '../parts/section.tsx';
import { refresh, useQuery } from '../queries.ts';
import { me } from '../session.ts';
import { FailingWebhooks } from './organization/failing-webhooks.tsx';
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
  const corrections = useCorrections(all);
  return (
    <Section
      title="Erase clicks"
      about="Of all links, for some days or all time. Those of one link are erased on its statistics page."
      isFlush={corrections.length > 0}
      actions={<EraseClicks scope={all} days={null} />}
    >
      {corrections.length > 0 && <CorrectionList scope={all} corrections={corrections} />}
    </Section>
  );
}
