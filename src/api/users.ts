import type { z } from 'zod';
import { readUser, type StoredUser } from '../manage/read-user.ts';
import { registerUser } from '../manage/register-user.ts';
import { Refusal } from '../rules/errors.ts';
import { formatStamp } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { User, UserToCreate } from './schemas/user.ts';

const userAnswer = ({ created_at, ...user }: StoredUser): z.input<typeof User> => ({
  ...user,
  created_at: formatStamp(created_at),
});

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
      const door = connection.isLocal() ? 'this_machine' : 'anywhere';
      const user = await registerUser(context, body, door, connection.network());
      return { status: 201, body: userAnswer(user) };
    }
    if (!caller) {
      throw new Refusal(
        'KEY_MISSING',
        'Send a credential to read your account, or a body with email and password to make one.',
      );
    }
    return { status: 200, body: userAnswer(await readUser(context, caller.userId)) };
  },
});

export const read = endpoint({
  summary: 'Read the calling user',
  credential: 'required',
  statuses: { 200: 'The calling user.' },
  answer: User,
  async handle({ caller }, context) {
    return { status: 200, body: userAnswer(await readUser(context, caller.userId)) };
  },
});
