import { eachField, type UtmField, utmFields } from './click-fields.ts';

type Utm = Readonly<Record<UtmField, string>>;

export interface ClickSource {
  /** `qr` if the address has the marker of a printed code: `?qr`, with or without a value. */
  readonly source: 'qr' | 'link';
  /** '' for a missing parameter. */
  readonly utm: Utm;
}

const maxCharacters = 100;
const maxQuery = 4_096;
const noUtm: Utm = eachField(utmFields, () => '');
const plainLink: ClickSource = { source: 'link', utm: noUtm };
const plainQr: ClickSource = { source: 'qr', utm: noUtm };

/** The source of a visit, as far as the request's query (with or without its `?`) identifies it. Never throws. */
export function clickSource(query: string): ClickSource {
  if (query.length < 2) return plainLink;
  if (query === '?qr') return plainQr;
  const mayBeTagged = query.includes('utm_') || query.includes('%');
  if (!mayBeTagged && !query.includes('qr')) return plainLink;
  const parameters = new URLSearchParams(query.slice(0, maxQuery));
  const source = readSource(parameters);
  if (!mayBeTagged) return source === 'qr' ? plainQr : plainLink;
  return { source, utm: eachField(utmFields, (name) => bounded(parameters.get(name) ?? '')) };
}

/** Only the source, for the decision about a visit: most queries needn't even be parsed for it. */
export const sourceIn = (query: string): ClickSource['source'] =>
  query.includes('qr') || query.includes('%')
    ? readSource(new URLSearchParams(query.slice(0, maxQuery)))
    : 'link';

const readSource = (parameters: URLSearchParams): ClickSource['source'] =>
  parameters.has('qr') ? 'qr' : 'link';

/** Cut between characters, and without characters that storage refuses. */
function bounded(text: string): string {
  if (text === '') return '';
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, maxCharacters)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
}
