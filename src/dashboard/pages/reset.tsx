import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useAction } from '../action.ts';
import { asApiError } from '../api-error.ts';
import { call } from '../client.ts';
import { notify } from '../notices.ts';
import { NewPasswordField } from '../parts/account-fields.tsx';
import { Form, Submit } from '../parts/form.tsx';
import { forgetEverything } from '../queries.ts';
import { navigate } from '../router.ts';
import { me, start } from '../session.ts';
import { AuthPage } from '../shell/auth-page.tsx';

/** The page that the link in the mail opens. */
export function ResetPage({ token }: { token: string }) {
  const password = useSignal('');
  const isUnanswered = useRef(false);
  const change = useAction(async () => {
    const body = { token, new_password: password.value };
    await call('POST /api/v1/user/reset_password', { body }).catch((cause) => {
      if (asApiError(cause).isTransient) isUnanswered.current = true;
      throw cause;
    });
    // The reset may have ended the session of this browser too.
    me.value = null;
    forgetEverything();
    await start();
    navigate('/app/sign-in', { replace: true });
    notify('Password changed. Sign in with it; everywhere else you are signed out.');
  });
  const error = change.error.value;
  if (error?.code === 'RESET_INVALID' && isUnanswered.current) {
    return (
      <AuthPage
        title="Your new password may be set"
        about="The link works no more, perhaps because of the attempt that had no answer. Sign in with the new password; if it is refused, ask for a new link."
      >
        <div class="form">
          <a class="button primary" href="/app/sign-in">
            Sign in
          </a>
          <a class="button" href="/app/forgot">
            Ask for a new link
          </a>
        </div>
      </AuthPage>
    );
  }
  if (error?.code === 'RESET_INVALID') {
    return (
      <AuthPage title="This link no longer works" about={error.message}>
        <p class="form">
          <a class="button primary" href="/app/forgot">
            Ask for a new link
          </a>
        </p>
      </AuthPage>
    );
  }
  return (
    <AuthPage title="Set a new password" about="It signs you out everywhere. API keys keep working.">
      <Form action={change} fields={['new_password']} canRetry>
        <NewPasswordField field="new_password" label="New password" autoFocus signal={password} />
        <Submit kind="primary">Set new password</Submit>
      </Form>
    </AuthPage>
  );
}
