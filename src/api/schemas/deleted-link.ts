import { z } from 'zod';
import { cursorParameter } from './page.ts';
import { component, isoInstant, queryNumber, textOrNull } from './parts.ts';

export const DeletedLink = component('DeletedLink', {
  id: z.int().describe('The id for `POST /api/v1/link/restore`.'),
  deleted_at: isoInstant,
  kept_until: z
    .string()
    .describe(
      'ISO 8601, UTC. From then on it is gone for good, and its suffix free for everyone; until then only for its own organization.',
    ),
  domain: z.string().describe('With its scheme: https://<domain>.'),
  suffix: z.string(),
  url: z.string().meta({ format: 'uri', description: 'Its address before, and after it is restored.' }),
  destination_url: z.string(),
  name: textOrNull,
  suffix_taken_by: z
    .int()
    .optional()
    .describe("The link of yours that has its suffix now. While it exists, this one can't be restored."),
});

export const DeletedLinkList = component('DeletedLinkList', {
  links: z.array(DeletedLink),
  total_links: z.int().describe('How many can be restored, on all pages.'),
  next: textOrNull.describe('Send it as `cursor` for the next page. Null: this is the last one.'),
});

export const LinkBinEmptied = component('LinkBinEmptied', {
  deleted: z.int().describe('The number of links deleted for good.'),
});

export const DeletedLinkQuery = z.object({
  limit: queryNumber(1, 100).default(25),
  cursor: cursorParameter,
  before: z.string().max(1_000).optional().meta({ description: 'The same as `cursor`.', deprecated: true }),
});
