import type { TestAccount, TestApp, TestResponse } from './app.ts';

export interface Member extends TestAccount {
  /** The headers that the dashboard sends in a browser: the session cookie and the origin. */
  readonly browserHeaders: Record<string, string>;
}

const password = 'a long enough one';
let members = 0;

/** Signs in, and returns the headers that the dashboard sends in a browser: the session cookie and the origin. */
export async function browserHeadersOf(
  app: TestApp,
  credentials: { readonly email: string; readonly password: string },
) {
  const { status, headers, text } = await app.call('POST', '/api/v1/session', {
    body: { email: credentials.email, password: credentials.password },
  });
  if (status !== 201) throw new Error(`no session: ${text}`);
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
  return { cookie, origin: app.url };
}

export const invite = (app: TestApp, key: string, email: string, role = 'editor'): Promise<TestResponse> =>
  app.call('POST', '/api/v1/invitation', { key, body: { email, role } });

/** A user who joined the administrator's organization by invitation. */
export async function member(
  app: TestApp,
  administrator: TestAccount,
  role: 'administrator' | 'editor' = 'editor',
  email = `member${++members}@example.com`,
): Promise<Member> {
  const { json: invitation } = await invite(app, administrator.key, email, role);
  const user = await app.call('POST', '/api/v1/user', {
    body: { email, password, invitation_token: invitation.token },
  });
  if (user.status !== 201) throw new Error(`no member: ${user.text}`);
  const browser = await browserHeadersOf(app, { email, password });
  const key = await app.call('POST', '/api/v1/api_key', { headers: browser, body: { name: 'tests' } });
  return {
    email,
    password,
    browserHeaders: browser,
    key: key.json.key,
    userId: user.json.id,
    organizationId: user.json.organization_id,
  };
}
