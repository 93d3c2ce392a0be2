import { useNoticedAction } from '../../action.ts';
import { call } from '../../client.ts';
import { since } from '../../format.ts';
import { notify } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { useQuery } from '../../queries.ts';
import { roleNames } from './roles.ts';

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
