import { useSignal } from '@preact/signals';
import { useAction } from '../action.ts';
import { call } from '../client.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { TroubleBesides } from '../parts/trouble.tsx';
import { navigate } from '../router.ts';
import { setup, signIn } from '../session.ts';
import { Door } from '../shell/door.tsx';

const shown = ['email', 'password', 'organization_name', 'setup_token'];

/** The first visit of a fresh instance: makes the account that everything else hangs on. */
export function SetUpPage() {
  const email = useSignal('');
  const password = useSignal('');
  const organization = useSignal('');
  const token = useSignal('');
  const needsToken = setup.value?.may_create_here === false;
  const create = useAction(async () => {
    await call('POST /api/v1/user', {
      body: {
        email: email.value,
        password: password.value,
        ...(organization.value.trim() && { organization_name: organization.value }),
        ...(token.value.trim() && { setup_token: token.value.trim() }),
      },
    });
    await signIn(email.value, password.value);
    navigate('/app', { replace: true });
  });
  const trouble = create.trouble.value;
  return (
    <Door
      title="Set up Linnet"
      about="The first account administers this service. Others join by invitation."
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <TroubleBesides trouble={trouble} fields={needsToken ? shown : shown.slice(0, 3)} />
        <TextField
          label="Email"
          type="email"
          autocomplete="username"
          required
          autoFocus
          value={email.value}
          error={trouble?.of('email')}
          onText={(text) => {
            email.value = text;
          }}
        />
        <TextField
          label="Password"
          type="password"
          autocomplete="new-password"
          required
          minLength={8}
          hint="At least 8 characters."
          value={password.value}
          error={trouble?.of('password')}
          onText={(text) => {
            password.value = text;
          }}
        />
        <TextField
          label="Organization"
          hint="Who the links belong to. It can be changed later."
          placeholder="Optional"
          value={organization.value}
          error={trouble?.of('organization_name')}
          onText={(text) => {
            organization.value = text;
          }}
        />
        {needsToken && (
          <TextField
            label="Setup token"
            hint="Linnet printed it in its console when it started. It proves that this service is yours."
            required
            autocomplete="off"
            value={token.value}
            error={trouble?.of('setup_token')}
            onText={(text) => {
              token.value = text;
            }}
          />
        )}
        <Button type="submit" kind="primary" disabled={create.isRunning.value}>
          Create account
        </Button>
      </form>
    </Door>
  );
}
