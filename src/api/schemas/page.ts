import { z } from 'zod';
import { queryNumber } from './parts.ts';

const maxCursorLength = 1_000;

/** The query parameter of every list with pages. */
export const cursorParameter = z
  .string()
  .max(maxCursorLength)
  .optional()
  .describe(
    '`next` of the page before, with the same filters and order. Entries that exist throughout appear exactly once, whatever is created or deleted meanwhile; entries that move in the order may appear twice or not at all.',
  );

/** The query parameters of a history, whose pages are only reached one after another. */
export const HistoryPageQuery = z.object({
  limit: queryNumber(1, 100).default(25),
  cursor: cursorParameter,
});

/** The query parameters of a list whose pages can also be reached by an offset. */
export const pageParameters = (maxPerPage: number) => ({
  limit: queryNumber(1, maxPerPage).default(25),
  offset: queryNumber(0, 1_000_000_000)
    .default(0)
    .describe(
      'How many to skip. Creations and deletions between two pages shift the others, so that some appear twice and some not at all: this can’t happen with `cursor`.',
    ),
  cursor: cursorParameter,
});

/** The field of an answer that leads to the next page. The last page has none. */
export const nextField = z
  .string()
  .optional()
  .describe('Send it as `cursor` for the next page. The last page has none.');
