import type { StoreKind } from './app.ts';
import { appForSuite } from './app-suite.ts';

/** The cookie as a browser stores it, and its attributes. */
export const cookieIn = (headers: Headers): { pair: string; attributes: string[] } => {
  const [pair = '', ...attributes] = (headers.getSetCookie()[0] ?? '').split('; ');
  return { pair, attributes };
};

/** An app for the tests of a suite, and functions to sign in. */
export function sessionSuite(store: StoreKind) {
  // A stream notices with its next heartbeat that its session has ended.
  const app = appForSuite({ store, overrides: { heartbeat: 20 } });

  let accounts = 0;
  const pageHeaders = (cookie: string) => ({ cookie, origin: app.url });
  const signIn = async (email: string, password: string, headers: Record<string, string> = {}) =>
    app.call('POST', '/api/v1/session', { body: { email, password }, headers });
  const signedInAccount = async () => {
    const account = await app.createAccount(`session${++accounts}@example.com`);
    const response = await signIn(account.email, account.password);
    return { ...account, cookie: cookieIn(response.headers).pair };
  };
  const isSignedIn = async (cookie: string) =>
    (await app.call('GET', '/api/v1/user', { headers: { cookie } })).status === 200;

  return {
    app,
    pageHeaders,
    signIn,
    signedInAccount,
    isSignedIn,
  };
}
