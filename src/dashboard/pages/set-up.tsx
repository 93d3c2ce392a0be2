import { useSignal } from '@preact/signals';
import { useAction } from '../action.ts';
import { call } from '../client.ts';
import { Form, FormField, Submit } from '../parts/form.tsx';
import { inputOf, NewAccountFields, newAccountFields, useNewAccount } from '../parts/new-account.tsx';
import { navigate } from '../router.ts';
import { type Setup, setup } from '../session.ts';
import { AuthPage } from '../shell/auth-page.tsx';
import { useSignUp } from '../use-sign-up.ts';

const loopback = /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether the page was opened at another address than the service's own. */
const isOtherOrigin = (origin: string): boolean =>
  location.origin !== origin && !loopback.test(location.hostname);

/** The first visit of a fresh instance. */
export function SetUpPage() {
  const state = setup.value;
  if (!state) return null;
  return state.base_url_is_set && isOtherOrigin(state.origin) ? (
    <WrongAddress origin={state.origin} />
  ) : (
    <FirstAccount state={state} />
  );
}

function WrongAddress({ origin }: { origin: string }) {
  return (
    <AuthPage title="Linnet has another address" about="There is no account here yet.">
      <p>
        It is set to be reached at <a href={`${origin}/app`}>{origin}</a>: make the first account there. If
        people are to reach it here, at {location.origin}, set <code>BASE_URL={location.origin}</code> where
        it runs, and start it again.
      </p>
    </AuthPage>
  );
}

/** Creates the account of the first administrator. */
function FirstAccount({ state }: { state: Setup }) {
  const account = useNewAccount();
  const token = useSignal('');
  const needsToken = !state.may_create_here;
  const isNewAddress = isOtherOrigin(state.origin);
  const signUp = useSignUp();
  const create = useAction(async () => {
    const input = {
      ...inputOf(account),
      ...(token.value.trim() && { setup_token: token.value.trim() }),
      ...(isNewAddress && { base_url: location.origin }),
    };
    await signUp(input, isNewAddress ? waitForThisOrigin : undefined);
    navigate('/app', { replace: true });
  });
  return (
    <AuthPage
      title="Set up Linnet"
      about="The first account administers this service. Others join by invitation."
    >
      <Form action={create} fields={needsToken ? [...newAccountFields, 'setup_token'] : newAccountFields}>
        <NewAccountFields account={account} />
        {needsToken && (
          <FormField
            field="setup_token"
            label="Setup token"
            hint={<TokenHint />}
            required
            autocomplete="off"
            signal={token}
          />
        )}
        {isNewAddress && (
          <p>
            People will reach this service at <strong>{location.origin}</strong>, and your links begin with
            it. If that is to be another address, open this page there, or set <code>BASE_URL</code> where
            Linnet runs and start it again.
          </p>
        )}
        {!isNewAddress && !state.base_url_is_set && (
          <p class="hint">
            At {state.origin} it is only for this machine. For others, set <code>BASE_URL</code> to the
            address that they are to use, and start Linnet again.
          </p>
        )}
        <Submit kind="primary">Create account</Submit>
      </Form>
    </AuthPage>
  );
}

function TokenHint() {
  return (
    <>
      It proves that this service is yours. Linnet shows it in the terminal when it starts, and at any time by{' '}
      <code>{COMMAND_PREFIX} setup token</code> in its folder (in its container).
    </>
  );
}

const timeout = 30_000;
const pause = 300;

/** Waits until the service has restarted at the address that it was just given. */
async function waitForThisOrigin(): Promise<void> {
  for (const began = performance.now(); performance.now() - began < timeout; ) {
    const state = await call('GET /api/v1/setup').catch(() => null);
    if (state?.origin === location.origin) {
      setup.value = state;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
