import { forgotPassword } from '../manage/accounts/forgot-password.ts';
import { resetPassword } from '../manage/accounts/reset-password.ts';
import { endpoint } from './endpoint.ts';
import { ForgottenPassword, PasswordReset } from './schemas/user.ts';
import { knownBrowserOf } from './session-cookie.ts';

export const request = endpoint({
  summary: 'Ask for a new password',
  description:
    'Mails a link to the address, if it has an account: the response is the same either way. The link works once, for an hour, until a newer one is mailed or the password changes. Five mails a day go to one address from one network, and ten from all. Without a mail server: 409 `MAIL_MISSING`.',
  credential: 'none',
  body: ForgottenPassword,
  statuses: { 202: 'If there is such an account, a mail is on its way.' },
  async handle({ body, connection, headers }, context) {
    const cookie = knownBrowserOf(headers, context.site);
    await forgotPassword(context, body.email, connection.network(), cookie);
  },
});

export const reset = endpoint({
  summary: 'Set a new password by the token of a mailed link',
  long: true,
  description:
    'Every session and token pair of the user ends; API keys stay. An invalid token: 400 `RESET_INVALID`.',
  credential: 'none',
  body: PasswordReset,
  statuses: { 204: 'The new password is set.' },
  handle: ({ body, connection }, context) => resetPassword(context, body, connection.network()),
});
