import { z } from 'zod';
import {
  type CreatedApiKey,
  createApiKey,
  deleteApiKey,
  readApiKeys,
  type StoredApiKey,
} from '../manage/accounts/api-keys.ts';
import { formatStamp } from '../rules/instant.ts';
import { endpoint } from './endpoint.ts';
import { ApiKey, ApiKeyToCreate, NewApiKey } from './schemas/api-key.ts';
import { pathId } from './schemas/parts.ts';

const keyAnswer = (key: StoredApiKey): z.input<typeof ApiKey> => ({
  id: key.id,
  name: key.name,
  created_at: formatStamp(key.created_at),
  last_used_at: key.last_used_at === null ? null : formatStamp(key.last_used_at),
  prefix: key.prefix,
});

export const create = endpoint({
  summary: 'Create an API key',
  body: ApiKeyToCreate,
  statuses: { 201: 'The key, this once.' },
  answer: NewApiKey,
  isIdempotentByKey: true,
  handle: ({ caller, body, answerWith }, context) =>
    answerWith(
      (created: CreatedApiKey) => ({ ...keyAnswer(created), key: created.key }),
      () => createApiKey(context, caller, body.name),
    ),
});

export const list = endpoint({
  summary: 'List your API keys',
  statuses: { 200: 'Your keys, newest first.' },
  answer: z.array(ApiKey),
  handle: async ({ caller }, context) => (await readApiKeys(context, caller)).map(keyAnswer),
});

export const remove = endpoint({
  summary: 'Delete an API key',
  description: 'It stops working at once.',
  params: pathId,
  statuses: { 204: 'Deleted.' },
  handle: ({ caller, params }, context) => deleteApiKey(context, caller, params.id),
});
