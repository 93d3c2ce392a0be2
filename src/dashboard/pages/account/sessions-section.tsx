import { hourLength } from '../../../rules/durations.ts';
import { useNoticedAction } from '../../action.ts';
import type { Session } from '../../api-types.ts';
import { call } from '../../client.ts';
import { day, instant, since } from '../../format.ts';
import { notify, notifyError } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { StackingTable } from '../../parts/stacking-table.tsx';
import { forgetEverything, useQuery } from '../../queries.ts';
import { askBefore } from '../../questions.ts';
import { navigate } from '../../router.ts';
import { me } from '../../session.ts';

/** The browsers that the user is signed in with. */
export function SessionsSection() {
  const sessions = useQuery('sessions', () => call('GET /api/v1/session'));
  const end = useNoticedAction(async (session: Session) => {
    await call('DELETE /api/v1/session/{id}', { params: { id: session.id } });
    notify(`${nameOf(session)} is signed out.`);
  }, 'sessions');
  return (
    <Section
      id="sessions"
      title="Sessions"
      about="Where you are signed in with a browser. One that isn't used for 30 days ends automatically."
      actions={<SignOutEverywhere />}
      isFlush
    >
      <Loaded query={sessions} height={120}>
        {(known) => (
          <StackingTable columns={['Browser', 'Signed in', 'Last used']}>
            {known.map((session) => (
              <tr key={session.id}>
                <td>
                  {nameOf(session)} {session.is_current && <span class="chip good">This one</span>}
                </td>
                <td data-name="Signed in" title={instant(session.created_at)}>
                  {day(session.created_at)}
                </td>
                <td data-name="Last used">{lastUseOf(session)}</td>
                <td class="number">
                  {!session.is_current && (
                    <Button
                      isSlim
                      aria-label={`Sign out ${nameOf(session)}, signed in ${instant(session.created_at)}`}
                      onClick={() => void end.run(session)}
                    >
                      Sign out
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </StackingTable>
        )}
      </Loaded>
    </Section>
  );
}

function nameOf({ browser, os }: Session): string {
  if (browser && os) return `${browser} on ${os}`;
  return browser ?? (os ? `A browser on ${os}` : 'An unknown browser');
}

/** The server stores the last use only by the hour. */
function lastUseOf({ is_current, last_used_at }: Session): string {
  if (is_current) return 'now';
  return Date.now() - Date.parse(last_used_at) < hourLength ? 'in the last hour' : since(last_used_at);
}

function SignOutEverywhere() {
  const signOutEverywhere = async () => {
    try {
      await call('POST /api/v1/user/sign_out_everywhere');
    } catch (cause) {
      return notifyError(cause, 'You are not signed out.', () => void signOutEverywhere());
    }
    me.value = null;
    forgetEverything();
    navigate('/app/sign-in', { force: true });
  };
  return (
    <Button
      kind="danger"
      isSlim
      onClick={() =>
        askBefore({
          title: 'Sign out everywhere?',
          sentence:
            'Every browser and every client with a token has to sign in again, this one too. API keys keep working; delete them one by one.',
          action: 'Sign out everywhere',
          act: () => void signOutEverywhere(),
        })
      }
    >
      Sign out everywhere
    </Button>
  );
}
