import type { z } from 'zod';
import type { Context } from '../manage/context.ts';
import { registerUser } from '../manage/register-user.ts';
import { notFound, Refusal } from '../rules/errors.ts';
import { formatStamp } from '../rules/instant.ts';
import { findUser, type StoredUser } from '../storage/users.ts';
import { endpoint } from './endpoint.ts';
import { User, UserToCreate } from './schemas/user.ts';

const userAnswer = ({ created_at, ...user }: StoredUser): z.input<typeof User> => ({
  ...user,
  created_at: formatStamp(created_at),
});

async function readSelf(context: Context, userId: number): Promise<z.input<typeof User>> {
  const user = await findUser(context.database.read, userId);
  if (!user) throw notFound('user');
  return userAnswer(user);
}

export const createOrRead = endpoint({
  summary: 'Make an account, or read the calling one',
  description:
    'With a body: makes an account that administers an organization of its own, or joins the one it was invited to. ' +
    'With a credential and no body: answers the calling user.',
  credential: 'optional',
  body: UserToCreate,
  bodyIsOptional: true,
  statuses: { 200: 'The calling user.', 201: 'The new account.' },
  answer: User,
  async handle({ caller, body, connection }, context) {
    if (body) {
      const user = await registerUser(context, body, connection.isLocal() ? 'this_machine' : 'anywhere');
      return { status: 201, body: userAnswer(user) };
    }
    if (!caller) {
      throw new Refusal(
        'KEY_MISSING',
        'Send a credential to read your account, or a body with email and password to make one.',
      );
    }
    return { status: 200, body: await readSelf(context, caller.userId) };
  },
});

export const read = endpoint({
  summary: 'Read the calling user',
  credential: 'required',
  statuses: { 200: 'The calling user.' },
  answer: User,
  async handle({ caller }, context) {
    return { status: 200, body: await readSelf(context, caller.userId) };
  },
});
