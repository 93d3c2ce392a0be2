import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import { asApiError } from '../../api-error.ts';
import { type Answer, call } from '../../client.ts';
import { say } from '../../notices.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { refresh, useQuery } from '../../queries.ts';
import { me } from '../../session.ts';
import { day } from '../../words.ts';
import { InviteMember } from './invite-member.tsx';
import { asRole, type Role, roleChoices, roleNames } from './roles.ts';

type Member = Answer<'GET /api/v1/member'>[number];

export function Members({ isAdministrator }: { isAdministrator: boolean }) {
  const members = useQuery('members', () => call('GET /api/v1/member'));
  const isInviting = useSignal(false);
  const leaving = useSignal<Member | null>(null);
  const complain = (cause: unknown) => say(asApiError(cause).message, { isError: true });
  const give = useAction(async (member: Member, role: Role) => {
    try {
      await call('PATCH /api/v1/member/{id}', { params: { id: member.id }, body: { role } });
      say(
        `${member.name ?? member.email} is now ${role === 'administrator' ? 'an administrator' : 'an editor'}.`,
      );
      if (member.id === me.value?.id) me.value = await call('GET /api/v1/user');
    } catch (cause) {
      complain(cause);
    }
    refresh('members');
  });
  const remove = useAction(async (member: Member) => {
    try {
      await call('DELETE /api/v1/member/{id}', { params: { id: member.id } });
      say(`${member.name ?? member.email} is no longer a member.`);
    } catch (cause) {
      complain(cause);
    }
    refresh('members');
  });
  return (
    <Section
      title="Members"
      isFlush
      actions={
        isAdministrator && (
          <Button
            icon="plus"
            isSlim
            onClick={() => {
              isInviting.value = true;
            }}
          >
            Invite member
          </Button>
        )
      }
    >
      <Loaded query={members} height={120}>
        {(known) => (
          <ul class="rows">
            {known.map((member) => (
              <li key={member.id}>
                <div class="who">
                  <p class="cut">
                    {member.name ?? member.email}
                    {member.id === me.value?.id && <span class="soft"> (you)</span>}
                  </p>
                  <p class="soft small cut">
                    {member.name ? `${member.email} · ` : ''}since {day(member.created_at)}
                  </p>
                </div>
                {isAdministrator ? (
                  <div class="actions">
                    <SelectField
                      label={`Role of ${member.name ?? member.email}`}
                      isLabelUnseen
                      value={member.role}
                      choices={roleChoices}
                      onChoice={(role) => void give.run(member, asRole(role))}
                    />
                    <IconButton
                      icon="trash"
                      label={`Remove ${member.name ?? member.email}`}
                      disabled={member.id === me.value?.id}
                      onClick={() => {
                        leaving.value = member;
                      }}
                    />
                  </div>
                ) : (
                  <span class="soft">{roleNames[member.role]}</span>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {isInviting.value && (
        <InviteMember
          onClose={() => {
            isInviting.value = false;
          }}
        />
      )}
      {leaving.value && (
        <Confirm
          title={`Remove ${leaving.value.name ?? leaving.value.email}?`}
          sentence="They lose access at once, with their sessions and API keys. The links they made stay here. To come back they need a new invitation."
          action="Remove member"
          onNo={() => {
            leaving.value = null;
          }}
          onYes={() => {
            const member = leaving.value;
            leaving.value = null;
            if (member) void remove.run(member);
          }}
        />
      )}
    </Section>
  );
}
