const shape =
  /^[^\s@<>()[\]\\,;:"]{1,64}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)*[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;
/** Characters that are not shown: an address with one looks like another. */
const invisible = /\p{Default_Ignorable_Code_Point}/u;

/** Accounts are identified by this form: case doesn't distinguish mailboxes. */
export const normaliseEmail = (email: string): string => email.trim().normalize('NFC').toLowerCase();

export const isEmail = (email: string): boolean =>
  email.length <= 254 && shape.test(email) && !invisible.test(email);

export const passwordLength = { min: 8, max: 256 } as const;
