import { z } from 'zod';
import { endOwnSession, type OwnSession, readSessions, signOut } from '../manage/accounts/sessions.ts';
import { type Browser, startSession } from '../manage/accounts/sign-in.ts';
import { readAgent } from '../rules/agents/user-agent.ts';
import { formatIso } from '../rules/instant.ts';
import { endpoint, Reply } from './endpoint.ts';
import { Session, sessionPath } from './schemas/session.ts';
import { SignIn, User } from './schemas/user.ts';
import { dropSession, keepKnownBrowser, keepSession, knownBrowserOf } from './session-cookie.ts';
import { userAnswer } from './users.ts';

/** A real browser's header is shorter; longer ones are made up. */
const maxAgentLength = 500;

function browserOf(headers: Headers): Omit<Browser, 'knownCookie'> {
  const { browser, os } = readAgent((headers.get('user-agent') ?? '').slice(0, maxAgentLength));
  return { browser: nameOrNull(browser), os: nameOrNull(os) };
}

const nameOrNull = (name: string): string | null => (name === 'Unknown' ? null : name);

const sessionAnswer = (session: OwnSession): z.input<typeof Session> => ({
  id: session.name,
  created_at: formatIso(session.created_at),
  last_used_at: formatIso(session.renewed_at),
  browser: session.browser,
  os: session.os,
  is_current: session.isCurrent,
});

export const create = endpoint({
  summary: 'Sign in with a browser',
  long: true,
  description:
    'Returns the user and sets a cookie that authorises every call that an API key does. It lasts 30 days from its last use. Calls other than GET must come from a page of this service.',
  credential: 'none',
  ownPagesOnly: true,
  body: SignIn,
  statuses: { 201: 'The user; the session is in the cookie.' },
  answer: User,
  async handle({ body, connection, headers, session }, context) {
    const { site } = context;
    const browser = { ...browserOf(headers), knownCookie: knownBrowserOf(headers, site) };
    const started = await startSession(context, body, connection.network(), browser, session);
    return new Reply({
      body: userAnswer(started.user),
      cookies: [keepSession(started.token, site), keepKnownBrowser(started.knownCookie, site)],
    });
  },
});

export const list = endpoint({
  summary: 'List your sessions',
  description: 'Where you are signed in with a browser, last used first; at most 200.',
  statuses: { 200: 'Your sessions.' },
  answer: z.array(Session),
  async handle({ caller, session }, context) {
    return (await readSessions(context, caller, session)).map(sessionAnswer);
  },
});

export const end = endpoint({
  summary: 'End one of your sessions',
  description: 'Its browser is signed out at once.',
  params: sessionPath,
  statuses: { 204: 'Ended.' },
  async handle({ caller, params, session }, context) {
    const isOwn = await endOwnSession(context, caller, params.id, session);
    return new Reply({ cookies: isOwn ? [dropSession(context.site)] : [] });
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
    return new Reply({ cookies: [dropSession(context.site)] });
  },
});
