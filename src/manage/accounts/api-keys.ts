import { makeApiKey, shownPrefix } from '../../auth/api-keys.ts';
import { digest } from '../../auth/secrets.ts';
import type { Caller } from '../../rules/access.ts';
import { notFound, Refusal } from '../../rules/errors.ts';
import * as stored from '../../storage/accounts/api-keys.ts';
import type { Context } from '../context.ts';
import { requireMembership } from './require-member.ts';

const maxKeys = 1_000;

export type { StoredApiKey } from '../../storage/accounts/api-keys.ts';

export interface CreatedApiKey extends stored.StoredApiKey {
  readonly key: string;
}

/** Only this response contains the key itself. */
export async function createApiKey(
  context: Context,
  caller: Pick<Caller, 'userId' | 'organizationId'>,
  name: string,
): Promise<CreatedApiKey> {
  const key = makeApiKey(context.randomBytes);
  return context.database.write(async (queries) => {
    await requireMembership(queries, caller);
    const inserted = await stored.insertApiKey(queries, {
      created_at: context.now(),
      user_id: caller.userId,
      organization_id: caller.organizationId,
      name,
      prefix: shownPrefix(key),
      hash: digest(key),
      last_used_at: null,
    });
    if (await stored.hasMoreApiKeys(queries, caller.userId, maxKeys))
      throw new Refusal(
        'TOO_MANY_KEYS',
        `A user has at most ${maxKeys.toLocaleString('en-US')} API keys. Delete one first.`,
      );
    return { ...inserted, key };
  });
}

export const readApiKeys = (context: Context, caller: Caller): Promise<stored.StoredApiKey[]> =>
  stored.listApiKeys(context.database.read, caller.userId);

export async function deleteApiKey(context: Context, caller: Caller, id: number): Promise<void> {
  const deleted = await context.database.write((queries) =>
    stored.deleteApiKey(queries, caller.userId, id, context.now()),
  );
  if (!deleted) throw notFound('API key');
  context.callerChanged(caller.userId);
}
