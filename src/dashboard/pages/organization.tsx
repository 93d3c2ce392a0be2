import { call } from '../client.ts';
import { Loaded, Page } from '../parts/page.tsx';
import { useQuery } from '../queries.ts';
import { me } from '../session.ts';
import { Members } from './organization/members.tsx';
import { OrganizationName } from './organization/organization-name.tsx';
import { OutstandingInvitations } from './organization/outstanding-invitations.tsx';
import { QrSection } from './organization/qr-section.tsx';

export function OrganizationPage() {
  const organization = useQuery('organization', () => call('GET /api/v1/organization'));
  const isAdministrator = me.value?.role === 'administrator';
  return (
    <Page title="Organization" about="Whoever is a member works on the same links, tags and domains.">
      <div class="sections">
        <Loaded query={organization}>
          {(known) => (
            <>
              <OrganizationName known={known} isEditable={isAdministrator} />
              <Members isAdministrator={isAdministrator} />
              {isAdministrator && <OutstandingInvitations />}
              {isAdministrator && <QrSection known={known} />}
            </>
          )}
        </Loaded>
      </div>
    </Page>
  );
}
