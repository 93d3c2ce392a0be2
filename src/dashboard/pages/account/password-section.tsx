import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import { call } from '../../client.ts';
import { notify } from '../../notices.ts';
import { CurrentPasswordField, NewPasswordField } from '../../parts/account-fields.tsx';
import { Form, Submit } from '../../parts/form.tsx';
import { Section } from '../../parts/section.tsx';
import { refresh } from '../../queries.ts';
import { me } from '../../session.ts';

export function PasswordSection() {
  const currentPassword = useSignal('');
  const newPassword = useSignal('');
  const change = useAction(async () => {
    await call('POST /api/v1/user/password', {
      body: { current_password: currentPassword.value, new_password: newPassword.value },
    });
    currentPassword.value = '';
    newPassword.value = '';
    refresh('sessions');
    notify('Password changed. Every other session of yours has ended.');
  });
  return (
    <Section title="Password" about="Changing it signs you out everywhere else. API keys keep working.">
      <Form action={change} fields={['current_password', 'new_password']}>
        {/* For password managers: the account that the password belongs to. */}
        <input type="hidden" name="username" autocomplete="username" value={me.value?.email ?? ''} />
        <CurrentPasswordField field="current_password" label="Current password" signal={currentPassword} />
        <NewPasswordField field="new_password" label="New password" signal={newPassword} />
        <div class="actions">
          <Submit>Change password</Submit>
        </div>
      </Form>
    </Section>
  );
}
