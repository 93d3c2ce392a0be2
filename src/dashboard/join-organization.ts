import { type Answer, call } from './client.ts';
import { forgetEverything } from './queries.ts';
import { me } from './session.ts';

type User = Answer<'GET /api/v1/user'>;

/** Accepts an invitation. Without an answer, or if it is open no more, it may have been accepted already: the user's organization tells. */
export async function joinOrganization(id: number, accept: () => Promise<User>): Promise<void> {
  me.value = await accept().catch(async (cause) => {
    const user = await call('GET /api/v1/user').catch(() => null);
    if (user?.organization_id === id) return user;
    throw cause;
  });
  forgetEverything();
}
