import { z } from 'zod';
import { isEmail, normaliseEmail, passwordLength } from '../../rules/account.ts';
import { trimInvisible } from '../../rules/invisible.ts';
import { component, singleLine, stamp, text, textOrNull } from './parts.ts';

export const role = z.enum(['administrator', 'editor']);

export const email = text(254)
  .transform(normaliseEmail)
  .refine(isEmail, { error: 'This is not an email address. Give one such as ada@example.com.' });

export const User = component('User', {
  id: z.int(),
  created_at: stamp,
  email: z.string(),
  name: textOrNull,
  organization_id: z.int(),
  organization_name: z.string(),
  role,
});

/** One that a browser can send. */
const newPassword = singleLine(passwordLength.max).min(passwordLength.min);

const trimmed = text(200).transform((value) => trimInvisible(value));

export const UserToCreate = z.strictObject({
  email,
  password: newPassword,
  name: trimmed.nullish(),
  organization_name: trimmed
    .nullish()
    .describe('Default, also if it is empty: the name, or the email address.'),
  invitation_token: text(200).optional().describe('Joins the organization that invited this address.'),
  setup_token: text(200)
    .optional()
    .describe(
      'Required for a first account created from another machine; `linnet setup token` shows it on the machine.',
    ),
  base_url: text(300)
    .optional()
    .describe(
      'With the first account, while `base_url_is_set` is false: the address at which people reach the service, from its scheme to its host and port. It takes effect within seconds.',
    ),
});

export const UserUpdate = z.strictObject({
  name: trimmed.nullish().describe('Null or empty removes it.'),
  email: z.string().optional().describe('Can be sent back unchanged.'),
});

export const PasswordChange = z.strictObject({
  current_password: text(passwordLength.max),
  new_password: newPassword,
});

export const AccountDeletion = z.strictObject({
  password: text(passwordLength.max),
  confirm: z
    .literal('delete_organization')
    .optional()
    .describe('Required from the only member of an organization, which is deleted with everything in it.'),
});

export const ForgottenPassword = z.strictObject({ email });

export const PasswordReset = z.strictObject({
  token: text(200).describe('The token of the link in the mail.'),
  new_password: newPassword,
});

export const SignIn = z.strictObject({ email: text(254), password: text(passwordLength.max) });

export const TokenPair = component('TokenPair', { access_token: z.string(), refresh_token: z.string() });
