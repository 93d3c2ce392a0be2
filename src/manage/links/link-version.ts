import { invalidField, Refusal } from '../../rules/errors.ts';
import { formatIso, parseInstant } from '../../rules/instant.ts';

/** As a client would send it in `If-Match`. */
export const versionOf = (link: { readonly updated_at: number }): string => formatIso(link.updated_at);

/**
 * Refuses to change a link that was changed since it was read: `expected` is the call's `If-Match` header with the
 * `updated_at` that the client has read, with or without quotes. `*` matches any.
 */
export function requireVersion(expected: string | null, link: { readonly updated_at: number }): void {
  if (expected === null) return;
  const tags = expected.split(',').map((tag) => tag.trim());
  if (tags.includes('*')) return;
  const versions = tags.map((tag) => parseInstant(tag.replace(/^"(.*)"$/, '$1')));
  if (versions.includes(link.updated_at)) return;
  if (versions.every((instant) => instant === null)) throw invalidVersion(tags, link);
  throw new Refusal(
    'LINK_CHANGED',
    `This link was changed in the meantime (${formatIso(link.updated_at)}). Read it again, and decide which change stays.`,
  );
}

/** For a header that can't be the version of any link: it doesn't prove that the link was changed. */
function invalidVersion(tags: readonly string[], link: { readonly updated_at: number }): Refusal {
  const isWeak = tags.some((tag) => /^w\//i.test(tag));
  return invalidField(
    'If-Match',
    `The header "If-Match" takes the updated_at of the link in quotes, such as "${formatIso(link.updated_at)}"${isWeak ? ', without W/: weak tags are never a match' : ''}. Without the header the change is made in any case.`,
  );
}
