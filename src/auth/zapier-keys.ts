import type { StoredLink } from '../storage/links/links.ts';
import type { Secrets } from './secrets.ts';

const macLength = 32;
const form = /^lnz_([1-9]\d{0,14})_([\w-]{32})$/;

type KeyedLink = Pick<StoredLink, 'id' | 'created_at'>;

/**
 * A secret of the link's own: it authorises Zapier's calls for this link, and isn't stored. After a restore, another link may get
 * the id of one that was created since the backup: the instant of its creation tells the two apart.
 */
export const zapierKey = (secrets: Secrets, link: KeyedLink): string =>
  `lnz_${link.id}_${secrets.sign('zapier', signedText(link), macLength)}`;

/** The id in a key, which may be made up; null if the text is no such key. */
export function linkIdIn(key: string): number | null {
  const id = form.exec(key)?.[1];
  return id === undefined ? null : Number(id);
}

export function isZapierKeyOf(secrets: Secrets, link: KeyedLink, key: string): boolean {
  const [, id = '', mac = ''] = form.exec(key) ?? [];
  // Earlier versions signed the id alone.
  return id === String(link.id) && [signedText(link), id].some((text) => secrets.verify('zapier', text, mac));
}

const signedText = ({ id, created_at }: KeyedLink): string => `${id}|${created_at}`;
