import type { TestApp, TestResponse } from './app.ts';

export const newPassword = 'a brand new password';

let networks = 0;
/** Headers of a client on a different network for each call. */
export const otherNetwork = () => {
  networks += 1;
  return { 'x-forwarded-for': `198.${networks >> 8}.${networks & 255}.7` };
};

export const requestReset = (app: TestApp, email: string, headers: Record<string, string> = otherNetwork()) =>
  app.call('POST', '/api/v1/user/forgot_password', { body: { email }, headers });
export const resetPassword = (
  app: TestApp,
  token: unknown,
  headers = otherNetwork(),
  new_password = newPassword,
) => app.call('POST', '/api/v1/user/reset_password', { body: { token, new_password }, headers });
export const signIn = async (app: TestApp, email: string, password: string) =>
  (await app.call('POST', '/api/v1/session', { body: { email, password }, headers: otherNetwork() })).status;

/** The answer without its date and request id. */
export const comparable = ({ status, text, headers }: TestResponse) => [
  status,
  text,
  [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id').sort(),
];
