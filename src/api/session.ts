import { startSession } from '../manage/sign-in.ts';
import { signOut } from '../manage/sign-out.ts';
import { endpoint } from './endpoint.ts';
import { SignIn, User } from './schemas/user.ts';
import { dropSession, keepSession } from './session-cookie.ts';
import { userAnswer } from './users.ts';

export const create = endpoint({
  summary: 'Sign in with a browser',
  description:
    'Answers the user and sets a cookie that authorises every call that an API key does. It lasts 30 days from its last use. Calls other than GET must come from a page of this service.',
  credential: 'none',
  ownPagesOnly: true,
  body: SignIn,
  statuses: { 201: 'The user; the session is in the cookie.' },
  answer: User,
  async handle({ body, connection, session }, context) {
    const { user, token } = await startSession(context, body, connection.network(), session);
    return {
      status: 201,
      body: userAnswer(user),
      headers: { 'set-cookie': keepSession(token, context.site) },
    };
  },
});

export const remove = endpoint({
  summary: 'Sign out',
  description: 'Ends the session of the cookie that was sent, and clears the cookie.',
  credential: 'optional',
  ownPagesOnly: true,
  statuses: { 204: 'Signed out.' },
  async handle({ session }, context) {
    if (session !== null) await signOut(context, session);
    return { status: 204, body: undefined, headers: { 'set-cookie': dropSession(context.site) } };
  },
});
