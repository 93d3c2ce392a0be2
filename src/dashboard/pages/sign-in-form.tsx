import { useSignal } from '@preact/signals';
import { useAction } from '../action.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { TroubleBesides } from '../parts/trouble.tsx';
import { signIn } from '../session.ts';

export function SignInForm({ known = '', onDone }: { known?: string; onDone?: () => void }) {
  const email = useSignal(known);
  const password = useSignal('');
  const enter = useAction(async () => {
    await signIn(email.value, password.value);
    onDone?.();
  });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void enter.run();
      }}
    >
      <TroubleBesides trouble={enter.trouble.value} fields={[]} />
      <TextField
        label="Email"
        type="email"
        name="email"
        autocomplete="username"
        required
        autoFocus={known === ''}
        value={email.value}
        onText={(text) => {
          email.value = text;
        }}
      />
      <TextField
        label="Password"
        type="password"
        name="password"
        autocomplete="current-password"
        required
        autoFocus={known !== ''}
        value={password.value}
        onText={(text) => {
          password.value = text;
        }}
      />
      <Button type="submit" kind="primary" disabled={enter.isRunning.value}>
        Sign in
      </Button>
    </form>
  );
}
