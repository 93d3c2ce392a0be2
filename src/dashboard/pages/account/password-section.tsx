import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import { call } from '../../client.ts';
import { say } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Section } from '../../parts/section.tsx';
import { TroubleBesides } from '../../parts/trouble.tsx';
import { refresh } from '../../queries.ts';
import { me } from '../../session.ts';

export function PasswordSection() {
  const current = useSignal('');
  const wanted = useSignal('');
  const change = useAction(async () => {
    await call('POST /api/v1/user/password', {
      body: { current_password: current.value, new_password: wanted.value },
    });
    current.value = '';
    wanted.value = '';
    refresh('sessions');
    say('Password changed. Every other session of yours has ended.');
  });
  const trouble = change.trouble.value;
  return (
    <Section title="Password" about="Changing it signs you out everywhere else. API keys go on working.">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void change.run();
        }}
      >
        <TroubleBesides trouble={trouble} fields={['current_password', 'new_password']} />
        {/* For password managers: whose password it is. */}
        <input type="hidden" name="username" autocomplete="username" value={me.value?.email ?? ''} />
        <TextField
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
          value={current.value}
          error={trouble?.of('current_password')}
          onText={(text) => {
            current.value = text;
          }}
        />
        <TextField
          label="New password"
          type="password"
          autocomplete="new-password"
          required
          minLength={8}
          hint="At least 8 characters."
          value={wanted.value}
          error={trouble?.of('new_password')}
          onText={(text) => {
            wanted.value = text;
          }}
        />
        <div class="actions">
          <Button type="submit" disabled={change.isRunning.value}>
            Change password
          </Button>
        </div>
      </form>
    </Section>
  );
}
