import { type Answer, call } from './client.ts';
import { forgetEverything } from './queries.ts';
import { me } from './session.ts';

type User = Answer<'GET /api/v1/user'>;

/**
 * Accepts an invitation. If there was no answer, or the invitation is no longer open, it may have been accepted already: the user's
 * organization shows that.
 */
export async function joinOrganization(id: number, accept: () => Promise<User>): Promise<void> {
  me.value = await accept().catch(async (cause) => {
    const user = await call('GET /api/v1/user').catch(() => null);
    if (user?.organization_id === id) return user;
    throw cause;
  });
  forgetEverything();
}
