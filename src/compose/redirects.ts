import type { Config } from '../config/options.ts';
import type { Context } from '../manage/context.ts';
import { clickTaker } from '../manage/links/take-clicks.ts';
import { StoreUnavailable } from '../rules/errors.ts';
import { suffixOf } from '../rules/path-suffix.ts';
import { useChallenge } from '../storage/challenges.ts';
import { defaultDomainId } from '../storage/schema.ts';
import type { Log } from '../telemetry/log.ts';
import { CaptchaGate } from '../visit/gates/captcha.ts';
import { ClickLimitGate } from '../visit/gates/click-limit.ts';
import { PasswordGate } from '../visit/gates/password.ts';
import type { Redirects } from '../visit/redirects.ts';
import { RequestHandler } from '../visit/request-handler.ts';

/** Answers the visits that the fast path leaves to the app server. */
export function requestHandlerOf(
  config: Config,
  context: Context,
  redirects: Redirects,
  log: Log,
): RequestHandler {
  const { now, site } = context;
  return new RequestHandler({
    redirects,
    now,
    publicUrl: ({ host, domainId, path }) => {
      const customHost = domainId === defaultDomainId ? null : host;
      const suffix = suffixOf(path);
      // A forwarded path may have characters that no suffix has.
      return suffix === null ? site.domainUrl(customHost) + path : site.linkUrl(customHost, suffix);
    },
    onFault: (cause) =>
      cause instanceof StoreUnavailable
        ? log.warn('store away', { error: cause.message })
        : log.error('redirect failed', cause),
    password: passwordGate(context),
    captcha: captchaGate(context),
    clickLimit: new ClickLimitGate({
      take: clickTaker(context),
      repeatWindow: config.repeatWindow,
      now,
    }),
  });
}

const passwordGate = ({ secrets, now, site, passwordAttempts, passwords }: Context): PasswordGate =>
  new PasswordGate({
    now,
    secureCookies: site.isSecure,
    sign: (text) => secrets.sign('link-pass', text),
    verifySignature: (text, signature) => secrets.verify('link-pass', text, signature),
    verifyPassword: (password, hash, { priority }) => passwords.verify(password, hash, priority),
    reserveGuess: (linkId, network, browser) =>
      passwordAttempts.reserve(`link|${linkId}`, { network, browser }),
  });

const captchaGate = ({ secrets, now, database }: Context): CaptchaGate =>
  new CaptchaGate({
    now,
    secret: secrets.text('captcha'),
    sign: (text) => secrets.sign('captcha', text, 22),
    useOnce: (challenge, expiresAt) =>
      database.write((queries) => useChallenge(queries, challenge, expiresAt)),
  });
