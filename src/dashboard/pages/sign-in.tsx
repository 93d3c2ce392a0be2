import { setup } from '../session.ts';
import { AuthPage } from '../shell/auth-page.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  return (
    <AuthPage title="Sign in" about={`To the links of ${setup.value?.default_domain ?? 'this service'}.`}>
      <SignInForm />
      <p class="aside">
        <a href="/app/forgot">Forgot your password?</a>
      </p>
    </AuthPage>
  );
}
