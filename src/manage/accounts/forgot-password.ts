import { knownBrowser } from '../../auth/known-browsers.ts';
import { resetTokens } from '../../auth/opaque-tokens.ts';
import type { Guesser } from '../../auth/password-attempts.ts';
import { networkLimits } from '../../auth/rate-limit.ts';
import { digest } from '../../auth/secrets.ts';
import { shellCommand } from '../../bundle/shell-command.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { resetMail } from '../../mail/reset-mail.ts';
import { hourLength } from '../../rules/durations.ts';
import { Refusal } from '../../rules/errors.ts';
import { deleteReset, deleteResetsBefore, insertReset } from '../../storage/accounts/password-resets.ts';
import { findUserByEmail } from '../../storage/accounts/users.ts';
import type { Context } from '../context.ts';
import { resetMailLimits, withinLimits } from './mail-limit.ts';
import { loginTarget } from './sign-in.ts';

const lifetime = hourLength;

/**
 * Mails a link for setting a new password, if the address has an account. Nothing before the answer depends on whether it has
 * one.
 */
export async function forgotPassword(
  context: Context,
  email: string,
  network: string,
  knownCookie: string | null,
): Promise<void> {
  const { mailer } = context;
  if (mailer === null) {
    throw new Refusal(
      'MAIL_MISSING',
      `This service sends no mail. Ask whoever runs it to set a new password in the shell: ${shellCommand('user password --email you@example.com')}`,
    );
  }
  await refuseTooMany(context, network);
  const browser = knownBrowser(context.secrets, knownCookie, loginTarget(email), context.now());
  context.backgroundTasks.start(() => mailLink(context, mailer, email, { network, browser }));
}

async function refuseTooMany({ limits }: Context, network: string): Promise<void> {
  const networkLimit = networkLimits('forgot', network, { narrow: 20, middle: 40, wide: 80 }, hourLength);
  if (await withinLimits(limits, networkLimit)) return;
  throw new Refusal(
    'TOO_MANY_ATTEMPTS',
    'Too many password resets were requested from your network. Look for the mail among your spam, or try again in an hour.',
    { retryAfter: hourLength / 1000 },
  );
}

/** If the mail can't be sent, the previous link stays valid. */
async function mailLink(context: Context, mailer: Mailer, email: string, guesser: Guesser): Promise<void> {
  const { database, passwordAttempts, limits, site } = context;
  const known = await passwordAttempts.knownAs(loginTarget(email), guesser);
  const withdraw = await withinLimits(limits, resetMailLimits(email, guesser.network, known));
  const user = await findUserByEmail(database.lookup, email);
  if (!user) return;
  if (!withdraw) return mailer.logUnsent('too many mails about a password to one address');
  const token = resetTokens.make(context.randomBytes);
  const now = context.now();
  const id = await database.write((queries) =>
    insertReset(queries, {
      created_at: now,
      user_id: user.id,
      token_hash: digest(token),
      expires_at: now + lifetime,
    }),
  );
  const url = `${site.origin}/app/reset/${token}`;
  if (await mailer.send(resetMail({ to: user.email, url, origin: site.origin }))) {
    await database.write((queries) => deleteResetsBefore(queries, user.id, id));
  } else {
    await database.write((queries) => deleteReset(queries, id));
    await withdraw();
  }
}
