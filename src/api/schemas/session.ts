import { z } from 'zod';

export const Session = z
  .object({
    id: z.string().describe("For ending it. It can't be used to sign in."),
    created_at: z.string().describe('When its browser signed in. ISO 8601, UTC.'),
    last_used_at: z.string().describe('ISO 8601, UTC; stored to the hour.'),
    browser: z
      .string()
      .nullable()
      .describe('The browser that signed in, from its user agent; null: unknown.'),
    os: z.string().nullable().describe('The system on which it runs; null: unknown.'),
    is_current: z.boolean().describe('True: the session of this call.'),
  })
  .meta({ id: 'Session' });

export const sessionPath = z.object({ id: z.string().describe('The id from the list.') });
