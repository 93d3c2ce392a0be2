import type { Secrets } from './secrets.ts';

const macLength = 32;
const form = /^lnz_([1-9]\d{0,15})_([\w-]{32})$/;

/** A secret of the link's own: it authorises Zapier's calls for this link, and isn't stored. */
export const zapierKey = (secrets: Secrets, linkId: number): string =>
  `lnz_${linkId}_${secrets.sign('zapier', String(linkId), macLength)}`;

/** The link of a key, or null for a key that was never issued. */
export function linkOfZapierKey(secrets: Secrets, key: string): number | null {
  const [, linkId = '', mac = ''] = form.exec(key) ?? [];
  return linkId !== '' && secrets.verify('zapier', linkId, mac) ? Number(linkId) : null;
}
