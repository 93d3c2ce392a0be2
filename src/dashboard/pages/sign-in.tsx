import { useSignal } from '@preact/signals';
import { useAction } from '../action.ts';
import { CurrentPasswordField, EmailField } from '../parts/account-fields.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Form, Submit } from '../parts/form.tsx';
import { refresh } from '../queries.ts';
import { me, setup, signIn } from '../session.ts';
import { AuthPage } from '../shell/auth-page.tsx';

export function SignInPage() {
  return (
    <AuthPage title="Sign in" about={`To the links of ${setup.value?.default_domain ?? 'this service'}.`}>
      <SignInForm />
      <p class="aside soft small wrapping">
        <a href="/app/forgot">Forgot your password?</a>
        {setup.value?.registration_open && <a href="/app/sign-up">Create an account</a>}
      </p>
    </AuthPage>
  );
}

/** `knownEmail` is the address to sign in with, if it is known. */
export function SignInForm({ knownEmail = '', onDone }: { knownEmail?: string; onDone?: () => void }) {
  const email = useSignal(knownEmail);
  const password = useSignal('');
  const enter = useAction(async () => {
    await signIn(email.value, password.value);
    onDone?.();
  });
  return (
    <Form action={enter} fields={[]}>
      <EmailField autoFocus={knownEmail === ''} signal={email} />
      <CurrentPasswordField name="password" autoFocus={knownEmail !== ''} signal={password} />
      <Submit kind="primary">Sign in</Submit>
    </Form>
  );
}

/** Covers the current page, so that nothing typed there is lost. */
export function EndedSession() {
  return (
    <Dialog title="Your session has ended" onClose={() => {}} isFirm>
      <p class="soft">Sign in again to continue. What you typed is still there.</p>
      <SignInForm knownEmail={me.value?.email ?? ''} onDone={() => void refresh('')} />
      <p class="aside soft small">
        <a href="/app/forgot" target="_blank" rel="noreferrer">
          Forgot your password?
        </a>
      </p>
    </Dialog>
  );
}
