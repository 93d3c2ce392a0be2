import { useSignal } from '@preact/signals';
import { useAction } from '../action.ts';
import { call } from '../client.ts';
import { setTo } from '../handlers.ts';
import { EmailField } from '../parts/account-fields.tsx';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { Form, Submit } from '../parts/form.tsx';
import { me, setup } from '../session.ts';
import { AuthPage } from '../shell/auth-page.tsx';

const [program, emailOption] = [`${COMMAND_PREFIX} user password`, '--email you@example.com'];
const command = `${program} ${emailOption}`;

/** For users who forgot their password: a mail, or instructions for the operator. */
export function ForgotPage() {
  const email = useSignal(me.value?.email ?? '');
  const requestedEmail = useSignal('');
  const requestLink = useAction(async () => {
    await call('POST /api/v1/user/forgot_password', { body: { email: email.value } });
    requestedEmail.value = email.value.trim();
  });
  if (!setup.value?.mail) return <NoMail />;
  const isRequested = requestedEmail.value !== '';
  return (
    <AuthPage
      title={isRequested ? 'Check your mail' : 'Forgot your password?'}
      about={isRequested ? null : 'A link to set a new one is sent to your address.'}
    >
      {/* Rendered from the start, so that screen readers announce its later content. */}
      <div role="status" class={isRequested ? 'form' : undefined}>
        {isRequested && <MailSent email={requestedEmail.value} />}
      </div>
      {isRequested ? (
        <div class="form">
          <Button onClick={setTo(requestedEmail, '')}>Send another link</Button>
        </div>
      ) : (
        <Form action={requestLink} fields={['email']} canRetry>
          <EmailField autoFocus field="email" signal={email} />
          <Submit kind="primary">Send link</Submit>
        </Form>
      )}
      <BackLink />
    </AuthPage>
  );
}

const MailSent = ({ email }: { email: string }) => (
  <>
    <p>
      If there is an account of <b>{email}</b>, a mail with a link is on its way. The link works for an hour.
    </p>
    <p class="soft">No mail? It may be in your spam folder, or your account has another address.</p>
  </>
);

function NoMail() {
  return (
    <AuthPage
      title="Forgot your password?"
      about="This service sends no mail. Its operator can set a new password for you, on its machine:"
    >
      <div class="form">
        <p class="secret">
          <code>
            {program} <span class="whole">{emailOption}</span>
          </code>
        </p>
        <CopyButton text={command} what="command" />
      </div>
      <BackLink />
    </AuthPage>
  );
}

const BackLink = () => (
  <p class="aside soft small">
    <a href="/app">{me.value ? 'Back to the dashboard' : 'Back to sign in'}</a>
  </p>
);
