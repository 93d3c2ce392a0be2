import { z } from 'zod';
import { component, textOrNull } from './parts.ts';

export const Session = component('Session', {
  id: z.string().describe("For ending it. It can't be used to sign in."),
  created_at: z.string().describe('When its browser signed in. ISO 8601, UTC.'),
  last_used_at: z.string().describe('ISO 8601, UTC; stored to the hour.'),
  browser: textOrNull.describe('The browser that signed in, from its user agent; null: unknown.'),
  os: textOrNull.describe('The system on which it runs; null: unknown.'),
  is_current: z.boolean().describe('True: the session of this call.'),
});

export const sessionPath = z.object({ id: z.string().describe('The id from the list.') });
