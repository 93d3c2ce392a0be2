import { parse } from 'tldts';
import { isReservedEnding } from '../domains/domain-name.ts';

/** What people paste and type that isn't the address they mean, in the order in which it is checked. */
const typos: readonly (readonly [RegExp, (found: string) => string])[] = [
  [
    /^https?:[\\/]*(?:https?|ftp):?[\\/]/i,
    () => 'The beginning of this address is there twice. Give it once, such as https://example.com/page.',
  ],
  [
    /^h+t+p+s*[;,.]?[\\/]{1,2}/i,
    (found) => `"${found}" is not the beginning of a web address. Write https:// there.`,
  ],
  [
    // No name of a site is before it: the mark or number of a list, or a label.
    /^(?!https?:)(?:(?!\S\.\S).)*?\shttps?:\/\//i,
    () => 'Something is in front of this address. Give the address alone, such as https://example.com/page.',
  ],
  [
    /\shttps?:\/\//i,
    () =>
      'These are several addresses. A link has one destination: give one of them, or make a link for each.',
  ],
  [
    /^[a-z]:(?:[\\/]|$)|^\\\\|^file:/i,
    () => 'This is a file on a computer, which visitors cannot open. Give its address on the web.',
  ],
  [
    /^(?:mailto:)?[^\s/?#@:]+@[^\s/?#@:][^\s/?#@:.]*\.[^\s/?#@:]+$/i,
    () => 'This is a mail address. A link leads to a web address, such as https://example.com/contact.',
  ],
  [
    /^(?:\/(?!\/)|\/{3}|\.{1,2}(?:\/|$)|[?#])/,
    () =>
      'The site is missing in front of this path. Give the whole address, such as https://example.com/page.',
  ],
];

/** None of the patterns above matches such a text: most destinations need only this test. */
const withoutTypo = /^https?:\/\/(?!(?:https?|ftp):?[\\/])[^\s\\/]\S*$/i;

/** The message for an address that isn't a web address, even if it parses as one; undefined if it is fine. */
export function typoIn(given: string): string | undefined {
  if (withoutTypo.test(given)) return undefined;
  for (const [pattern, sentence] of typos) {
    const found = pattern.exec(given)?.[0];
    if (found !== undefined) return sentence(found);
  }
  return undefined;
}

const label = /^[a-z0-9_-]{1,63}$/;
const maxHostLength = 253;

/** The message for a host that leads nowhere. `isGuessed`: no scheme was given, so the text may be something else. */
export function hostTypo(url: URL, given: string, isGuessed: boolean): string | undefined {
  const host = url.hostname.replace(/\.$/, '');
  if (url.port === '0') return 'Nothing answers on port 0. Give the address as a browser shows it.';
  if (host.startsWith('[')) return undefined;
  if (/^\d+(?:\.\d+){3}$/.test(host)) {
    if (!isGuessed || given.includes(host)) return undefined;
    return `This would be read as the address ${host}. Give the name of a site, or all four numbers of its address.`;
  }
  const labels = host.split('.');
  const isName = host.length <= maxHostLength && labels.every((one) => label.test(one));
  if (!isName || host === 'www' || /^https?$/.test(host)) return noAddress;
  if (!isGuessed || host === 'localhost') return undefined;
  const ending = labels.at(-1) ?? '';
  // A word alone is rather a mistake than the name of a machine in the owner's network.
  if (labels.length === 1) return url.pathname === '/' ? noAddress : undefined;
  const { hostname, isIcann } = parse(host);
  if (hostname === null) return noAddress;
  if (isReservedEnding(ending) || isIcann) return undefined;
  return `No site's name ends in ".${ending}". If this one does, write https:// in front of it.`;
}

export const noAddress = 'This is not a web address. Give one such as https://example.com/page.';
