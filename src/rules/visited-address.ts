import { normaliseSuffix } from './suffix.ts';
import { percentDecoded } from './text.ts';

/** An address of a link as hits store it: `go.example.com/old`. */
export const visitedAddress = (host: string, suffix: string): string => `${host}/${suffix}`;

/** The same for an address as links show theirs; any other text is unchanged. */
export function readVisitedAddress(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return text;
  const { hostname, pathname } = new URL(text);
  const suffix = percentDecoded(pathname.slice(1));
  return suffix === null ? text : visitedAddress(hostname, normaliseSuffix(suffix));
}
