import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import { type Answer, call } from '../../client.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, SignalField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { refresh } from '../../queries.ts';
import { asRole, type Role, roleChoices, roleHint } from './roles.ts';

type Invitation = Answer<'POST /api/v1/invitation'>;

export function InviteMember({ onClose }: { onClose: () => void }) {
  const email = useSignal('');
  const role = useSignal<Role>('editor');
  const made = useSignal<Invitation | null>(null);
  const invite = useAction(async () => {
    made.value = await call('POST /api/v1/invitation', { body: { email: email.value, role: role.value } });
    refresh('invitations');
  });
  const error = invite.error.value;
  if (made.value) return <Invited invitation={made.value} onClose={onClose} />;
  return (
    <Dialog title="Invite a member" onClose={onClose}>
      <Form action={invite} fields={['email', 'role']} canRetry>
        <SignalField
          label="Email"
          type="email"
          autocomplete="off"
          required
          autoFocus
          signal={email}
          error={error?.of('email')}
        />
        <SelectField
          label="Role"
          hint={roleHint}
          value={role.value}
          choices={roleChoices}
          error={error?.of('role')}
          onChoice={(chosen) => {
            role.value = asRole(chosen);
          }}
        />
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={invite.isRunning.value}>
            Invite member
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function Invited({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  return (
    <Dialog title={`${invitation.email} is invited`} onClose={onClose} isFirm>
      <p class="soft">
        {invitation.sent
          ? 'The invitation is on its way by mail. This is the same link, should it get lost; it is shown this once.'
          : 'Send this link to them yourself: no mail was sent. It is shown this once, works for 14 days, and for this address alone.'}
      </p>
      <p class="secret">
        <code>{invitation.url}</code>
      </p>
      <div class="actions">
        <CopyButton text={invitation.url} what="link" />
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
