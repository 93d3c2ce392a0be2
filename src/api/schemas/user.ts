import { z } from 'zod';
import { isEmail, normaliseEmail, passwordLength } from '../../rules/account.ts';
import { stamp, text } from './parts.ts';

export const role = z.enum(['administrator', 'editor']);

export const email = text(254)
  .transform(normaliseEmail)
  .refine(isEmail, { error: 'This is not an email address. Give one such as ada@example.com.' });

export const User = z
  .object({
    id: z.int(),
    created_at: stamp,
    email: z.string(),
    name: z.string().nullable(),
    organization_id: z.int(),
    organization_name: z.string(),
    role,
  })
  .meta({ id: 'User' });

export const UserToCreate = z.strictObject({
  email,
  password: text(passwordLength.max).min(passwordLength.min),
  name: text(200).nullish(),
  organization_name: text(200).nullish().meta({ description: 'Default: the name, or the email address.' }),
  invitation_token: text(200)
    .optional()
    .meta({ description: 'Joins the organization that invited this address.' }),
  setup_token: text(200).optional().meta({
    description:
      'Needed for a first account made from elsewhere than the machine; `linnet setup token` shows it there.',
  }),
  base_url: text(300).optional().meta({
    description:
      'With the first account, while `base_url_is_set` is false: the address that people are to reach, from its scheme to its host and port. The service goes over to it within seconds.',
  }),
});

export const UserUpdate = z.strictObject({
  name: text(200)
    .transform((name) => name.trim())
    .nullish()
    .meta({ description: 'Null or empty takes it away.' }),
  email: z.string().optional().meta({ description: 'Can be sent back as it was read, not changed.' }),
});

export const PasswordChange = z.strictObject({
  current_password: text(passwordLength.max),
  new_password: text(passwordLength.max).min(passwordLength.min),
});

export const AccountDeletion = z.strictObject({
  password: text(passwordLength.max),
  confirm: z.literal('delete_organization').optional().meta({
    description: 'Needed by who is alone in their organization, which goes with all that it has.',
  }),
});

export const ForgottenPassword = z.strictObject({ email });

export const PasswordReset = z.strictObject({
  token: text(200).meta({ description: 'Of the link that was mailed.' }),
  new_password: PasswordChange.shape.new_password,
});

export const SignIn = z.strictObject({ email: text(254), password: text(passwordLength.max) });

export const TokenPair = z
  .object({ access_token: z.string(), refresh_token: z.string() })
  .meta({ id: 'TokenPair' });
