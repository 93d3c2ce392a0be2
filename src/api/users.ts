import type { z } from 'zod';
import { changePassword, renameUser } from '../manage/accounts/change-user.ts';
import { deleteAccount } from '../manage/accounts/delete-account.ts';
import { readUser, type StoredUser } from '../manage/accounts/read-user.ts';
import { registerUser } from '../manage/accounts/register-user.ts';
import { signOutEverywhere } from '../manage/accounts/sessions.ts';
import { isSameEmail } from '../rules/account.ts';
import { Refusal } from '../rules/errors.ts';
import { formatStamp } from '../rules/instant.ts';
import { endpoint, Reply } from './endpoint.ts';
import { AccountDeletion, PasswordChange, User, UserToCreate, UserUpdate } from './schemas/user.ts';
import { dropSession } from './session-cookie.ts';

export const userAnswer = ({ created_at, ...user }: StoredUser): z.input<typeof User> => ({
  ...user,
  created_at: formatStamp(created_at),
});

export const createOrRead = endpoint({
  summary: 'Create an account, or read the calling user',
  long: true,
  description:
    'With a body: creates an account that administers its own organization, or joins the one that invited it. ' +
    'With a credential and no body, or an empty object: returns the calling user.',
  credential: 'optional',
  body: UserToCreate,
  bodyIsOptional: true,
  statuses: { 200: 'The calling user.', 201: 'The new account.' },
  otherErrors: ['429'],
  answer: User,
  async handle({ caller, body, connection }, context) {
    if (body) {
      const source = connection.isLocal() ? 'this_machine' : 'anywhere';
      const user = await registerUser(context, body, source, connection.network());
      return new Reply({ status: 201, body: userAnswer(user) });
    }
    if (!caller) {
      throw new Refusal(
        'KEY_MISSING',
        'Send a credential (the header "api-key: <key>") to read your account, or a body with "email" and "password" to make one.',
      );
    }
    return userAnswer(await readUser(context, caller.userId));
  },
});

export const read = endpoint({
  summary: 'Read the calling user',
  statuses: { 200: 'The calling user.' },
  otherErrors: ['404'],
  answer: User,
  handle: async ({ caller }, context) => userAnswer(await readUser(context, caller.userId)),
});

export const update = endpoint({
  summary: 'Change the calling user',
  body: UserUpdate,
  takesAnswerBack: true,
  statuses: { 200: 'The user as they are now.' },
  answer: User,
  async handle({ caller, body }, context) {
    const user = await readUser(context, caller.userId);
    if (body.email !== undefined && !isSameEmail(body.email, user.email)) {
      throw new Refusal('FIELD_FIXED', 'The email address of an account can not be changed.', {
        field: 'email',
      });
    }
    return userAnswer(body.name === undefined ? user : await renameUser(context, caller, body.name || null));
  },
});

export const password = endpoint({
  summary: 'Change the password',
  long: true,
  description:
    'Every other session and every token pair of the user ends. The calling session and API keys continue.',
  body: PasswordChange,
  statuses: { 204: 'Changed.' },
  otherErrors: ['429'],
  handle: ({ caller, body, session }, context) => changePassword(context, caller, body, session),
});

export const remove = endpoint({
  summary: 'Delete your account',
  long: true,
  description:
    'Needs the password. The account, its sessions, tokens, API keys and invitations are deleted at once; links belong to the organization and stay. ' +
    'The only member of an organization deletes it too, with links, clicks, domains and webhooks, and must confirm this in `confirm` (409 `ORGANIZATION_IN_USE` says what there is): ' +
    'its contents are deleted within minutes, and its suffixes are reserved for 30 days. The only administrator of an organization with other members stays (409 `LAST_ADMINISTRATOR`), ' +
    'and so does the only member of the organization that runs the service, as long as there are other accounts (409 `ORGANIZATION_IN_USE`).',
  body: AccountDeletion,
  statuses: { 204: 'Deleted.' },
  otherErrors: ['429'],
  async handle({ caller, body, session }, context) {
    await deleteAccount(context, caller, body);
    return new Reply({ cookies: session === null ? [] : [dropSession(context.site)] });
  },
});

export const signOutAll = endpoint({
  summary: 'Sign out everywhere',
  description: 'Every session and token pair of the user ends, including the calling one. API keys stay.',
  statuses: { 204: 'Signed out.' },
  async handle({ caller, session }, context) {
    await signOutEverywhere(context, caller);
    return new Reply({ cookies: session === null ? [] : [dropSession(context.site)] });
  },
});
