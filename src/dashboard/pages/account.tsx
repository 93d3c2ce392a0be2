import { useEffect } from 'preact/hooks';
import { Page } from '../parts/page.tsx';
import { me } from '../session.ts';
import { ApiKeys } from './account/api-keys.tsx';
import { InvitationsToMe } from './account/invitations-to-me.tsx';
import { PasswordSection } from './account/password-section.tsx';
import { ProfileSection } from './account/profile-section.tsx';
import { SessionsSection } from './account/sessions-section.tsx';

export function AccountPage() {
  useEffect(() => {
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
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
      </div>
    </Page>
  );
}
