import { z } from 'zod';
import { component, label, stamp } from './parts.ts';

export const ApiKey = component('ApiKey', {
  id: z.int(),
  name: z.string(),
  created_at: stamp,
  last_used_at: stamp.nullable(),
  prefix: z.string().describe('How the key begins.'),
});

export const NewApiKey = ApiKey.extend({
  key: z.string().describe('The key itself: only shown in this response.'),
}).meta({ id: 'NewApiKey' });

export const ApiKeyToCreate = z.strictObject({ name: label(100) });
