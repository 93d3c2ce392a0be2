import { Refusal } from '../rules/errors.ts';
import { formatIso } from '../rules/instant.ts';

/**
 * Refuses to change a link that somebody else changed since: `expected` is the `If-Match` header of the call, the
 * `updated_at` that its sender has seen, with or without quotes. `*` is any.
 */
export function requireVersion(expected: string | null, link: { readonly updated_at: number }): void {
  if (expected === null) return;
  const current = formatIso(link.updated_at);
  const accepted = expected.split(',').map((tag) => tag.trim().replace(/^"(.*)"$/, '$1'));
  if (accepted.includes('*') || accepted.includes(current)) return;
  throw new Refusal(
    'LINK_CHANGED',
    `This link was changed in the meantime (${current}). Read it again, and decide which change stays.`,
  );
}
