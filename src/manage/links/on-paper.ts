import { Refusal } from '../../rules/errors.ts';
import type { StoredLink } from '../../storage/links/links.ts';

type Ending = Pick<
  StoredLink,
  'on_paper' | 'disabled' | 'start_at' | 'expires_at' | 'click_limit' | 'host' | 'suffix'
>;

/** Whether a change ends a link: now, at a new instant or after fewer clicks; or lets it start later. */
export const changeEndsLink = (before: Ending, after: Ending): boolean =>
  (after.disabled === 1 && before.disabled === 0) ||
  (after.start_at !== null && after.start_at !== before.start_at) ||
  (after.expires_at !== null && after.expires_at !== before.expires_at) ||
  (after.click_limit !== null && after.click_limit < (before.click_limit ?? Number.POSITIVE_INFINITY));

/** Refuses to end links that are in print, unless the caller has confirmed it. */
export function requireConfirmation(links: readonly Ending[], isConfirmed: boolean): void {
  const [first, ...more] = links.filter((link) => link.on_paper === 1);
  if (isConfirmed || !first) return;
  const what =
    more.length === 0
      ? `The link "${first.suffix}" is in print`
      : `${(more.length + 1).toLocaleString('en')} of these links are in print, "${first.suffix}" among them`;
  throw onPaper(what);
}

/** Refuses to change what may be printed: a link's address, or an alias that is removed. */
export function requireAddressConfirmation(
  link: Ending,
  { isMoved, lost }: { readonly isMoved: boolean; readonly lost: readonly { readonly suffix: string }[] },
  isConfirmed: boolean,
): void {
  if (isConfirmed || link.on_paper === 0) return;
  const [alias] = lost;
  if (alias) throw onPaper(`The link "${link.suffix}" is in print, perhaps by its alias "${alias.suffix}"`);
  if (!isMoved) return;
  throw new Refusal(
    'LINK_ON_PAPER',
    `The link "${link.suffix}" is in print: that address would lead on as its alias. If that is meant, send confirm=true in the address of the call.`,
    { field: 'confirm' },
  );
}

export const onPaper = (what: string): Refusal =>
  new Refusal(
    'LINK_ON_PAPER',
    `${what}: people who scan or type it would be led nowhere. If that is meant, send confirm=true in the address of the call.`,
    { field: 'confirm' },
  );
