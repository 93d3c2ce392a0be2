import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useAction } from '../action.ts';
import type { ReceivedInvitation } from '../api-types.ts';
import { call } from '../client.ts';
import { since } from '../format.ts';
import { joinOrganization } from '../join-organization.ts';
import { notify } from '../notices.ts';
import { CurrentPasswordField, NewPasswordField } from '../parts/account-fields.tsx';
import { Button } from '../parts/button.tsx';
import { ErrorBox } from '../parts/error-box.tsx';
import { Form, Submit } from '../parts/form.tsx';
import { NameSection } from '../parts/name-section.tsx';
import { Page } from '../parts/page.tsx';
import { Section } from '../parts/section.tsx';
import { refresh, useQuery } from '../queries.ts';
import { fragment } from '../router.ts';
import { me } from '../session.ts';
import { ApiKeys } from './account/api-keys.tsx';
import { DeleteAccount } from './account/delete-account.tsx';
import { SessionsSection } from './account/sessions-section.tsx';
import { roleNames } from './organization/roles.ts';

export function AccountPage() {
  const { hash } = fragment.value;
  useEffect(() => {
    if (hash) document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [fragment.value]);
  const user = me.value;
  if (!user) return null;
  return (
    <Page title="My account" about={user.email}>
      <div class="sections">
        <InvitationsToMe />
        <ProfileSection />
        <ApiKeys />
        <PasswordSection />
        <SessionsSection />
        <DeleteAccount />
      </div>
    </Page>
  );
}

type Acceptable = Pick<ReceivedInvitation, 'id' | 'organization_id' | 'organization_name'>;

/** Invitations to other organizations; empty if there are none. */
function InvitationsToMe() {
  const invitations = useQuery('invitations to me', () => call('GET /api/v1/user/invitations'));
  const accept = useAction(async ({ id, organization_id, organization_name }: Acceptable) => {
    await joinOrganization(organization_id, () =>
      call('POST /api/v1/user/invitations/{id}/accept', { params: { id } }),
    );
    refresh('');
    notify(`You are now a member of ${organization_name}.`);
  });
  const decline = useAction(async (id: number, organization: string) => {
    await call('POST /api/v1/user/invitations/{id}/decline', { params: { id } });
    refresh('invitations to me');
    notify(`Invitation of ${organization} declined.`);
  });
  const known = invitations.data.value ?? [];
  if (known.length === 0) return null;
  return (
    <Section
      title="Invitations"
      about={`You can be a member of one organization at a time: accepting means leaving ${me.value?.organization_name ?? 'yours'}.`}
    >
      <div class="stack tight">
        <ErrorBox error={accept.error.value ?? decline.error.value} />
        {known.map(({ id, organization_id, organization_name, role, invited_by, expires_at }) => (
          <div class="panel invitation" key={id}>
            <div>
              <p>
                <strong>{organization_name}</strong> invites you as {roleNames[role].toLowerCase()}.
              </p>
              <p class="soft small">
                {invited_by ? `From ${invited_by}. ` : ''}Expires {since(expires_at)}.
              </p>
            </div>
            <div class="actions">
              <Button onClick={() => void decline.run(id, organization_name)}>Decline</Button>
              <Button
                kind="primary"
                onClick={() => void accept.run({ id, organization_id, organization_name })}
              >
                Accept invitation
              </Button>
            </div>
          </div>
        ))}
      </div>
    </Section>
  );
}

const ProfileSection = () => (
  <NameSection
    about="How your organization sees you."
    label="Your name"
    autocomplete="name"
    savedName={me.value?.name ?? ''}
    save={async (name) => {
      me.value = await call('PATCH /api/v1/user', { body: { name } });
      return me.value.name ?? '';
    }}
  />
);

function PasswordSection() {
  const currentPassword = useSignal('');
  const newPassword = useSignal('');
  const change = useAction(async () => {
    await call('POST /api/v1/user/password', {
      body: { current_password: currentPassword.value, new_password: newPassword.value },
    });
    currentPassword.value = '';
    newPassword.value = '';
    refresh('sessions');
    notify('Password changed. Every other session of yours has ended.');
  });
  return (
    <Section title="Password" about="Changing it signs you out everywhere else. API keys keep working.">
      <Form action={change} fields={['current_password', 'new_password']}>
        {/* For password managers: the account that the password belongs to. */}
        <input type="hidden" name="username" autocomplete="username" value={me.value?.email ?? ''} />
        <CurrentPasswordField field="current_password" label="Current password" signal={currentPassword} />
        <NewPasswordField field="new_password" label="New password" signal={newPassword} />
        <div class="actions">
          <Submit>Change password</Submit>
        </div>
      </Form>
    </Section>
  );
}
