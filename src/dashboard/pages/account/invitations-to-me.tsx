import { useAction } from '../../action.ts';
import { call } from '../../client.ts';
import { since } from '../../format.ts';
import { notify } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { FormErrors } from '../../parts/error-box.tsx';
import { Section } from '../../parts/section.tsx';
import { forgetEverything, refresh, useQuery } from '../../queries.ts';
import { me } from '../../session.ts';
import { roleNames } from '../organization/roles.ts';

/** Invitations to other organizations; empty if there are none. */
export function InvitationsToMe() {
  const invitations = useQuery('invitations to me', () => call('GET /api/v1/user/invitations'));
  const accept = useAction(async (id: number, organization: string) => {
    me.value = await call('POST /api/v1/user/invitations/{id}/accept', { params: { id } });
    forgetEverything();
    refresh('');
    notify(`You are now a member of ${organization}.`);
  });
  const decline = useAction(async (id: number, organization: string) => {
    await call('POST /api/v1/user/invitations/{id}/decline', { params: { id } });
    refresh('invitations to me');
    notify(`Invitation of ${organization} declined.`);
  });
  const known = invitations.data.value ?? [];
  if (known.length === 0) return null;
  return (
    <Section
      title="Invitations"
      about={`You can be a member of one organization at a time: accepting means leaving ${me.value?.organization_name ?? 'yours'}.`}
    >
      <div class="stack tight">
        <FormErrors error={accept.error.value ?? decline.error.value} />
        {known.map(({ id, organization_name, role, invited_by, expires_at }) => (
          <div class="panel invitation" key={id}>
            <div>
              <p>
                <strong>{organization_name}</strong> invites you as {roleNames[role].toLowerCase()}.
              </p>
              <p class="soft small">
                {invited_by ? `From ${invited_by}. ` : ''}Expires {since(expires_at)}.
              </p>
            </div>
            <div class="actions">
              <Button onClick={() => void decline.run(id, organization_name)}>Decline</Button>
              <Button kind="primary" onClick={() => void accept.run(id, organization_name)}>
                Accept invitation
              </Button>
            </div>
          </div>
        ))}
      </div>
    </Section>
  );
}
