import { z } from 'zod';
import { cursorParameter, nextField } from './page.ts';
import { component, queryNumber, text } from './parts.ts';

const calendarDay = z.string().meta({ description: 'YYYY-MM-DD, UTC.', examples: ['2030-01-31'] });

export const NotFoundQuery = z.strictObject({
  domain: text(2_000)
    .optional()
    .describe(
      'One of your domains; without it, all of them. That of the service itself only for administrators of the organization that runs it.',
    ),
  days: queryNumber(1, 3_650).default(30).describe('The number of days, including today (UTC).'),
  limit: queryNumber(1, 100).default(25),
  cursor: cursorParameter,
});

const NotFoundAddress = component('NotFoundAddress', {
  domain: z.string().meta({ description: 'In the form of a Link.', examples: ['https://go.example.com'] }),
  suffix: z.string(),
  url: z.string(),
  visits: z.int(),
  first_day: calendarDay,
  last_day: calendarDay,
  similar: z
    .object({ id: z.int(), suffix: z.string(), url: z.string() })
    .nullable()
    .describe('A link of yours on the same domain that was possibly meant.'),
});

export const NotFoundList = component('NotFoundList', {
  addresses: z.array(NotFoundAddress),
  other_visits: z
    .int()
    .describe(
      'Visits to further addresses. For each domain and day, 200 addresses are listed separately, those with repeated visits first.',
    ),
  next: nextField,
});
