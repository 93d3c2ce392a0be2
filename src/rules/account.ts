import { domainToASCII, domainToUnicode } from 'node:url';
import { displayDomain } from './domains/domain-unicode.ts';

const shape =
  /^[^\s@<>()[\]\\,;:"]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)*[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;
/** Characters that are not shown: an address with one looks like another. */
const invisible = /\p{Default_Ignorable_Code_Point}/u;

/**
 * Accounts are identified by this form: case doesn't distinguish mailboxes, and some browsers send a domain of another script in
 * ASCII.
 */
export function normaliseEmail(email: string): string {
  const text = email.trim().normalize('NFC').toLowerCase();
  return /\P{ASCII}|xn--/u.test(text) ? withDomain(text, (ascii) => displayDomain(ascii)) : text;
}

/** The form with a domain in ASCII, which mail servers get. */
export const asciiEmail = (email: string): string => withDomain(email, (ascii) => ascii);

/** The form itself, and those in which accounts of earlier versions may have it: with a domain in ASCII, or in letters. */
export const storedEmails = (email: string): ReadonlySet<string> =>
  new Set([email, asciiEmail(email), withDomain(email, domainToUnicode)]);

export const isSameEmail = (one: string, other: string): boolean =>
  normaliseEmail(one) === normaliseEmail(other);

function withDomain(email: string, formOf: (ascii: string) => string): string {
  const start = email.lastIndexOf('@') + 1;
  const domain = email.slice(start);
  return email.slice(0, start) + formOf(domainToASCII(domain) || domain);
}

export const isEmail = (email: string): boolean =>
  email.length <= 254 && shape.test(email) && !invisible.test(email);

export const passwordLength = { min: 8, max: 256 } as const;
