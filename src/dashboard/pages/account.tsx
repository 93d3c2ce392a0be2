import { useEffect } from 'preact/hooks';
import { call } from '../client.ts';
import { NameSection } from '../parts/name-section.tsx';
import { Page } from '../parts/page.tsx';
import { fragment } from '../router.ts';
import { me } from '../session.ts';
import { ApiKeys } from './account/api-keys.tsx';
import { DeleteAccount } from './account/delete-account.tsx';
import { InvitationsToMe } from './account/invitations-to-me.tsx';
import { PasswordSection } from './account/password-section.tsx';
import { SessionsSection } from './account/sessions-section.tsx';

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
