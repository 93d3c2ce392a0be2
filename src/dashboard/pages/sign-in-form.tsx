import { useSignal } from '@preact/signals';
import { useAction } from '../action.ts';
import { CurrentPasswordField, EmailField } from '../parts/account-fields.tsx';
import { Button } from '../parts/button.tsx';
import { Form } from '../parts/form.tsx';
import { signIn } from '../session.ts';

export function SignInForm({ known = '', onDone }: { known?: string; onDone?: () => void }) {
  const email = useSignal(known);
  const password = useSignal('');
  const enter = useAction(async () => {
    await signIn(email.value, password.value);
    onDone?.();
  });
  return (
    <Form action={enter} fields={[]}>
      <EmailField autoFocus={known === ''} signal={email} />
      <CurrentPasswordField name="password" autoFocus={known !== ''} signal={password} />
      <Button type="submit" kind="primary" disabled={enter.isRunning.value}>
        Sign in
      </Button>
    </Form>
  );
}
