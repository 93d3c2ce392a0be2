import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import type { NewInvitation } from '../../api-types.ts';
import { call } from '../../client.ts';
import { useCreateOnce } from '../../create-once.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { CancelAndSubmit, Form, FormField } from '../../parts/form.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { refresh } from '../../queries.ts';
import { asRole, type Role, roleChoices, roleHint } from './roles.ts';

export function InviteMember({ onClose }: { onClose: () => void }) {
  const email = useSignal('');
  const role = useSignal<Role>('editor');
  const created = useSignal<NewInvitation | null>(null);
  const createOnce = useCreateOnce();
  // While this runs, the dialog stays open: closed, it would never show the link.
  const invite = useAction(async () => {
    const body = { email: email.value, role: role.value };
    created.value = await createOnce(body, (headers) => call('POST /api/v1/invitation', { body, headers }));
    refresh('invitations');
  });
  if (created.value) return <Invited invitation={created.value} onClose={onClose} />;
  return (
    <Dialog title="Invite a member" onClose={onClose} isFirm={invite.isRunning.value}>
      <Form action={invite} fields={['email', 'role']} canRetry>
        <FormField
          field="email"
          label="Email"
          type="email"
          autocomplete="off"
          required
          autoFocus
          signal={email}
        />
        <SelectField
          label="Role"
          hint={roleHint}
          value={role.value}
          choices={roleChoices}
          error={invite.error.value?.sentenceFor('role')}
          onChoice={(chosen) => {
            role.value = asRole(chosen);
          }}
        />
        <CancelAndSubmit verb="Invite member" isFirm onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

function Invited({ invitation, onClose }: { invitation: NewInvitation; onClose: () => void }) {
  return (
    <ShownOnce
      title={`${invitation.email} is invited`}
      about={
        invitation.sent
          ? 'The invitation has been sent by mail. This is the same link, in case it gets lost; it is only shown once.'
          : 'Send this link to them yourself: no mail was sent. It is only shown once, works for 14 days, and only for this address.'
      }
      secret={invitation.url}
      what="link"
      onClose={onClose}
    />
  );
}
