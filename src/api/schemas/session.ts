import { z } from 'zod';

export const Session = z
  .object({
    id: z.string().meta({ description: 'To end it by. Nobody can sign in with it.' }),
    created_at: z.string().meta({ description: 'When its browser signed in. ISO 8601, UTC.' }),
    last_used_at: z.string().meta({ description: 'ISO 8601, UTC; kept to the hour.' }),
    browser: z
      .string()
      .nullable()
      .meta({ description: 'What signed in, by its user agent; null: not known.' }),
    os: z.string().nullable().meta({ description: 'The system that it runs on; null: not known.' }),
    is_current: z.boolean().meta({ description: 'True: the session that makes this call.' }),
  })
  .meta({ id: 'Session' });

export const sessionPath = z.object({ id: z.string().meta({ description: 'The id, as the list has it.' }) });
