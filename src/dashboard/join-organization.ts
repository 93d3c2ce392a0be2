import { type Answer, call } from './client.ts';
import { forgetEverything } from './queries.ts';
import { me } from './session.ts';

type User = Answer<'GET /api/v1/user'>;

/** Accepts an invitation. Without an answer, or if it is open no more, it may have been accepted already: the user's organization tells. */
export async function joinOrganization(name: string, accept: () => Promise<User>): Promise<void> {
  const left = me.value?.organization_id;
  me.value = await accept().catch(async (cause) => {
    const user = await call('GET /api/v1/user').catch(() => null);
    if (user && user.organization_id !== left && user.organization_name === name) return user;
    throw cause;
  });
  forgetEverything();
}
