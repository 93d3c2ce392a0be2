import { bearerOf } from '../auth/authenticate.ts';
import { startTokens } from '../manage/accounts/sign-in.ts';
import { Refusal } from '../rules/errors.ts';
import { endpoint } from './endpoint.ts';
import { SignIn, TokenPair } from './schemas/user.ts';

export const create = endpoint({
  summary: 'Sign in for a token pair',
  long: true,
  description: 'The access token is valid for 3 days, the refresh token for 30.',
  credential: 'none',
  body: SignIn,
  statuses: { 201: 'The pair.' },
  answer: TokenPair,
  handle: ({ body, connection }, context) => startTokens(context, body, connection.network()),
});

export const refresh = endpoint({
  summary: 'Exchange a refresh token for a new pair',
  description:
    'Send it as `Authorization: Bearer <refresh token>`. Each works once; a second use ends every token of its sign-in, ' +
    'except that within ten seconds it gets the same response again.',
  credential: 'none',
  getChanges: true,
  statuses: { 200: 'The new pair.' },
  answer: TokenPair,
  async handle({ headers }, context) {
    const token = bearerOf(headers);
    if (token === null)
      throw new Refusal('KEY_MISSING', 'Send the header "Authorization: Bearer <refresh token>".');
    return context.tokens.refresh(token);
  },
});
