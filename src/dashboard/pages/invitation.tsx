import { useSignal } from '@preact/signals';
import { useAction } from '../action.ts';
import { type Answer, call } from '../client.ts';
import { joinOrganization } from '../join-organization.ts';
import { NewPasswordField } from '../parts/account-fields.tsx';
import { Button } from '../parts/button.tsx';
import { ErrorBox } from '../parts/error-box.tsx';
import { TextField } from '../parts/field.tsx';
import { Form, FormField, Submit } from '../parts/form.tsx';
import { useQuery } from '../queries.ts';
import { navigate } from '../router.ts';
import { me, signOut } from '../session.ts';
import { AuthPage } from '../shell/auth-page.tsx';
import { useSignUp } from '../use-sign-up.ts';
import { roleNames } from './organization/roles.ts';
import { SignInForm } from './sign-in.tsx';

type Preview = Answer<'POST /api/v1/invitation/preview'>;

/** The page of an invitation: a sign-up, or its acceptance with an existing account. */
export function InvitationPage({ token }: { token: string }) {
  const invitation = useQuery(`invitation ${token}`, () =>
    call('POST /api/v1/invitation/preview', { body: { token } }),
  );
  const preview = invitation.data.value;
  const error = invitation.error.value;
  if (error && error.status >= 400 && error.status < 429) {
    return (
      <AuthPage title="This invitation is not open" about={error.message}>
        <p>
          <a class="button" href="/app">
            To the dashboard
          </a>
        </p>
      </AuthPage>
    );
  }
  if (error) {
    return (
      <AuthPage title="Invitation">
        <ErrorBox error={error} onRetry={() => void invitation.reload()} />
      </AuthPage>
    );
  }
  if (!preview) return null;
  const about = `As ${roleNames[preview.role].toLowerCase()}, with the address ${preview.email}.`;
  return (
    <AuthPage title={`Join ${preview.organization_name}`} about={about}>
      <Join token={token} invitation={preview} />
    </AuthPage>
  );
}

function Join({ token, invitation }: { token: string; invitation: Preview }) {
  const user = me.value;
  if (user?.email === invitation.email)
    return <Accept token={token} organization={invitation.organization_id} />;
  if (user) return <OtherAccount email={user.email} invitedEmail={invitation.email} />;
  return invitation.has_account ? (
    <SignInForm knownEmail={invitation.email} />
  ) : (
    <SignUp token={token} email={invitation.email} />
  );
}

function Accept({ token, organization }: { token: string; organization: number }) {
  const accept = useAction(async () => {
    await joinOrganization(organization, () => call('POST /api/v1/invitation/accept', { body: { token } }));
    navigate('/app', { replace: true });
  });
  return (
    <Form action={accept} fields={[]} canRetry>
      <p class="soft">
        You can be a member of one organization at a time: accepting means leaving{' '}
        {me.value?.organization_name}.
      </p>
      <Submit kind="primary">Accept invitation</Submit>
      <a class="button" href="/app">
        Decide later
      </a>
    </Form>
  );
}

function OtherAccount({ email, invitedEmail }: { email: string; invitedEmail: string }) {
  const leave = useAction(signOut);
  return (
    <div class="form">
      <p>
        You are signed in as {email}, and the invitation is for {invitedEmail}.
      </p>
      <ErrorBox error={leave.error.value} />
      <Button kind="primary" onClick={() => void leave.run()}>
        Sign out and continue
      </Button>
    </div>
  );
}

function SignUp({ token, email }: { token: string; email: string }) {
  const name = useSignal('');
  const password = useSignal('');
  const signUp = useSignUp();
  const join = useAction(async () => {
    await signUp({
      email,
      password: password.value,
      invitation_token: token,
      ...(name.value.trim() && { name: name.value }),
    });
    navigate('/app', { replace: true });
  });
  return (
    <Form action={join} fields={['name', 'password']}>
      <TextField label="Email" type="email" autocomplete="username" value={email} />
      <FormField
        field="name"
        label="Your name"
        placeholder="Optional"
        autocomplete="name"
        autoFocus
        signal={name}
      />
      <NewPasswordField field="password" signal={password} />
      <Submit kind="primary">Create account and join</Submit>
    </Form>
  );
}
