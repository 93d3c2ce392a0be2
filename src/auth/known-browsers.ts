import { dayLength } from '../rules/durations.ts';
import { digitsAndLetters, drawText, type RandomBytes } from '../rules/random-text.ts';
import type { Secrets } from './secrets.ts';

/** How long a browser is known after a sign-in. */
export const knownBrowserLifetime = 180 * dayLength;

const idLength = 16;
const signatureLength = 22;
/** Accounts that one browser is known for: the most recent ones. */
const maxEntries = 5;
const separator = '~';
const form = /^([0-9A-Za-z]{16})\.([0-9a-z]{1,10})\.([\w-]{22})$/;

/**
 * A browser that has signed in keeps a cookie, which shows at later sign-ins that it has signed in at this target before. It
 * authorises nothing. Its guesses are counted separately, so that others can't use them up.
 */
export function knownBrowser(
  secrets: Secrets,
  cookie: string | null,
  target: string,
  now: number,
): string | null {
  return (
    entriesOf(cookie)
      .find((text) => isFor(secrets, text, target, now))
      ?.slice(0, idLength) ?? null
  );
}

/** The new value of the cookie. The browser keeps its id. */
export function rememberBrowser(
  secrets: Secrets,
  randomBytes: RandomBytes,
  cookie: string | null,
  target: string,
  now: number,
): string {
  const entries = entriesOf(cookie);
  const id = knownBrowser(secrets, cookie, target, now) ?? drawText(digitsAndLetters, idLength, randomBytes);
  const until = (now + knownBrowserLifetime).toString(36);
  const entry = `${id}.${until}.${sign(secrets, target, id, until)}`;
  const others = entries.filter((text) => !text.startsWith(`${id}.`));
  return [entry, ...others].slice(0, maxEntries).join(separator);
}

const entriesOf = (cookie: string | null): string[] =>
  (cookie ?? '').split(separator, maxEntries).filter((text) => form.test(text));

function isFor(secrets: Secrets, text: string, target: string, now: number): boolean {
  const [, id = '', until = '', signature = ''] = form.exec(text) ?? [];
  return (
    Number.parseInt(until, 36) > now && secrets.verify('known-browser', `${target}|${id}|${until}`, signature)
  );
}

const sign = (secrets: Secrets, target: string, id: string, until: string): string =>
  secrets.sign('known-browser', `${target}|${id}|${until}`, signatureLength);
