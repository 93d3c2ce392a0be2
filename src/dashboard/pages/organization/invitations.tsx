import { useSignal } from '@preact/signals';
import { useAction, useNoticedAction } from '../../action.ts';
import type { NewInvitation } from '../../api-types.ts';
import { call } from '../../client.ts';
import { useCreateOnce } from '../../create-once.ts';
import { since } from '../../format.ts';
import { notify } from '../../notices.ts';
import { EmailField } from '../../parts/account-fields.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { CancelAndSubmit, Form } from '../../parts/form.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { refresh, useQuery } from '../../queries.ts';
import { asRole, type Role, roleChoices, roleHint, roleNames } from './roles.ts';

export function OutstandingInvitations() {
  const invitations = useQuery('invitations', () => call('GET /api/v1/invitation'));
  const withdraw = useNoticedAction(async (id: number, email: string) => {
    await call('DELETE /api/v1/invitation/{id}', { params: { id } });
    notify(`The invitation of ${email} is withdrawn.`);
  }, 'invitations');
  return (
    <Section title="Outstanding invitations" isFlush>
      <Loaded query={invitations} height={56}>
        {(known) =>
          known.length === 0 ? (
            <p class="soft pad">There are no outstanding invitations.</p>
          ) : (
            <ul class="rows">
              {known.map(({ id, email, role, expires_at }) => (
                <li key={id}>
                  <div class="who">
                    <p class="cut">{email}</p>
                    <p class="soft small">
                      {roleNames[role]} · runs out {since(expires_at)}
                    </p>
                  </div>
                  <Button isSlim onClick={() => void withdraw.run(id, email)}>
                    Withdraw <span class="unseen">the invitation of {email}</span>
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}

export function InviteMember({ onClose }: { onClose: () => void }) {
  const email = useSignal('');
  const role = useSignal<Role>('editor');
  const created = useSignal<NewInvitation | null>(null);
  const createOnce = useCreateOnce();
  // While this runs, the dialog stays open: closed, it would never show the link.
  const invite = useAction(async () => {
    const body = { email: email.value, role: role.value };
    created.value = await createOnce('POST /api/v1/invitation', { body });
    refresh('invitations');
  });
  if (created.value) return <Invited invitation={created.value} onClose={onClose} />;
  return (
    <Dialog title="Invite a member" onClose={onClose} isFirm={invite.isRunning.value}>
      <Form action={invite} fields={['email', 'role']} canRetry>
        <EmailField field="email" autocomplete="off" autoFocus signal={email} />
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
