import { useSignal } from '@preact/signals';
import { useNoticedAction } from '../../action.ts';
import type { Member } from '../../api-types.ts';
import { call } from '../../client.ts';
import { day } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { notify } from '../../notices.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { useQuery } from '../../queries.ts';
import { askBefore } from '../../questions.ts';
import { me } from '../../session.ts';
import { InviteMember } from './invitations.tsx';
import { asRole, type Role, roleChoices, roleNames } from './roles.ts';

const nameOf = ({ name, email }: Member): string => name ?? email;

export function Members({ isAdministrator }: { isAdministrator: boolean }) {
  const members = useQuery('members', () => call('GET /api/v1/member'));
  const isInviting = useSignal(false);
  const setRole = useNoticedAction(async (member: Member, role: Role) => {
    await call('PATCH /api/v1/member/{id}', { params: { id: member.id }, body: { role } });
    notify(`${nameOf(member)} is now ${role === 'administrator' ? 'an administrator' : 'an editor'}.`);
    if (member.id === me.value?.id) me.value = await call('GET /api/v1/user');
  }, 'members');
  const remove = useNoticedAction(async (member: Member) => {
    await call('DELETE /api/v1/member/{id}', { params: { id: member.id } });
    notify(`${nameOf(member)} is no longer a member.`);
  }, 'members');
  const askToRemove = (member: Member) =>
    askBefore({
      title: `Remove ${nameOf(member)}?`,
      sentence:
        'They lose access at once, with their sessions and API keys. The links they created stay here. To return they need a new invitation.',
      action: 'Remove member',
      act: () => void remove.run(member),
    });
  return (
    <Section
      title="Members"
      isFlush
      actions={
        isAdministrator && (
          <Button icon="plus" isSlim onClick={setTo(isInviting, true)}>
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
                    {nameOf(member)}
                    {member.id === me.value?.id && <span class="soft"> (you)</span>}
                  </p>
                  <p class="soft small cut">
                    {member.name ? `${member.email} · ` : ''}since {day(member.joined_at)}
                  </p>
                </div>
                {isAdministrator ? (
                  <div class="actions">
                    <SelectField
                      label={`Role of ${nameOf(member)}`}
                      isLabelUnseen
                      value={member.role}
                      choices={roleChoices}
                      onChoice={(role) => void setRole.run(member, asRole(role))}
                    />
                    <IconButton
                      icon="trash"
                      label={`Remove ${nameOf(member)}`}
                      disabled={member.id === me.value?.id}
                      onClick={() => askToRemove(member)}
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
      {isInviting.value && <InviteMember onClose={setTo(isInviting, false)} />}
    </Section>
  );
}
