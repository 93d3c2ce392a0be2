import { useAction } from '../action.ts';
import { Form, Submit } from '../parts/form.tsx';
import { inputOf, NewAccountFields, newAccountFields, useNewAccount } from '../parts/new-account.tsx';
import { navigate } from '../router.ts';
import { setup } from '../session.ts';
import { AuthPage } from '../shell/auth-page.tsx';
import { useSignUp } from '../use-sign-up.ts';

/** Where registration is open: an account with an organization of its own. */
export function SignUpPage() {
  const account = useNewAccount();
  const signUp = useSignUp();
  const create = useAction(async () => {
    await signUp(inputOf(account));
    navigate('/app', { replace: true });
  });
  return (
    <AuthPage
      title="Create an account"
      about={`For links of your own at ${setup.value?.default_domain ?? 'this service'}.`}
    >
      <Form action={create} fields={newAccountFields}>
        <NewAccountFields account={account} />
        <Submit kind="primary">Create account</Submit>
      </Form>
      <p class="aside soft small">
        <a href="/app/sign-in">Sign in to an account that you have</a>
      </p>
    </AuthPage>
  );
}
