/** The title and the icons of a page, as the beginning of its HTML names them. */
interface PageHead {
  /** '' if it has none. */
  readonly title: string;
  /** Addresses of its icons as they are written there, the smallest kind first. */
  readonly icons: readonly string[];
}

const maxTitle = 200;
const maxIcons = 4;

/** Elements whose content browsers read as text and not as tags: a title or a link in them doesn't count. */
const rawTags = ['script', 'style', 'noscript', 'svg', 'template', 'textarea', 'iframe', 'noembed'] as const;

/**
 * Parses the title and the icons of a page from the beginning of its HTML. Each step moves forward, so that parsing takes linear
 * time: an unclosed element ends the search.
 */
export function pageHead(html: string): PageHead {
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  let title = '';
  const icons: { readonly href: string; readonly rank: number }[] = [];
  for (let at = lower.indexOf('<'); at >= 0; at = lower.indexOf('<', at)) {
    if (lower.startsWith('<!--', at)) {
      at = indexAfter(lower, '-->', at + 4);
      continue;
    }
    const name = tagName.exec(lower.slice(at, at + 20))?.[1] ?? '';
    if (name === 'body' && title !== '') break;
    const end = tagEnd(lower, at + 1);
    if (name === 'title' && title === '') {
      const close = lower.indexOf('</title', end);
      title = titleOf(html.slice(end, close < 0 ? end + maxTitle * 10 : close));
      at = close < 0 ? lower.length : close + 1;
    } else if (rawTags.some((raw) => raw === name)) {
      at = indexAfter(lower, `</${name}`, end);
    } else {
      if (name === 'link' && icons.length < maxIcons) {
        const icon = iconIn(html.slice(at, Math.min(end, at + maxTag)));
        if (icon !== null) icons.push(icon);
      }
      at = Math.max(end, at + 1);
    }
  }
  return { title, icons: icons.sort((one, other) => one.rank - other.rank).map(({ href }) => href) };
}

const tagName = /^<([a-z][a-z0-9]*)/;
/** Characters of a tag, quotes included: a longer one is read up to here. */
const maxTag = 4_096;

/** The end of the tag that is open at `from`; a `>` in quotes doesn't end it. */
function tagEnd(lower: string, from: number): number {
  let quote = '';
  const last = Math.min(lower.length, from + maxTag);
  for (let at = from; at < last; at++) {
    const character = lower[at] ?? '';
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at + 1;
  }
  return last;
}

function indexAfter(lower: string, end: string, from: number): number {
  const found = lower.indexOf(end, from);
  return found < 0 ? lower.length : found + end.length;
}

const attribute = /([a-z-]{1,20})\s{0,9}=\s{0,9}(?:"([^"]{0,2048})"|'([^']{0,2048})'|([^\s"'>]{1,2048}))/gi;

function iconIn(tag: string): { readonly href: string; readonly rank: number } | null {
  const found = new Map<string, string>();
  for (const [, name = '', double, single, bare] of tag.matchAll(attribute))
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), double ?? single ?? bare ?? '');
  const rel = (found.get('rel') ?? '').toLowerCase().split(/\s+/);
  const href = decodeEntities(found.get('href') ?? '').trim();
  // SVG can contain script, and isn't stored.
  if (href === '' || /svg/i.test(found.get('type') ?? '') || /^data:|\.svg(?:[?#]|$)/i.test(href))
    return null;
  if (rel.includes('icon')) return { href, rank: 0 };
  return rel.includes('apple-touch-icon') ? { href, rank: 1 } : null;
}

/** On one line, without direction marks and characters that can't be stored. */
const titleOf = (raw: string): string =>
  decodeEntities(raw)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .trim()
    .slice(0, maxTitle)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();

const namedEntities: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '' },
  ...{ hellip: '…', mdash: '—', ndash: '–', middot: '·', bull: '•', laquo: '«', raquo: '»' },
  ...{ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', bdquo: '„', copy: '©', reg: '®', trade: '™' },
  ...{ auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', euro: '€', times: '×' },
  ...{
    eacute: 'é',
    egrave: 'è',
    ecirc: 'ê',
    agrave: 'à',
    aacute: 'á',
    ccedil: 'ç',
    ntilde: 'ñ',
    oacute: 'ó',
  },
};

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return namedEntities[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });

/**
 * The text of a page in the encoding that its header names, or the page itself; otherwise UTF-8 or, if that is
 * invalid, the encoding of old pages.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, 1_024));
  const label =
    charset.exec(contentType)?.[1] ??
    /<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w-]{1,40})/i.exec(beginning)?.[1];
  const decoder = label === undefined ? null : decoderOf(label);
  if (decoder !== null) return decoder.decode(bytes);
  const text = new TextDecoder().decode(bytes, { stream: true });
  return text.includes('\ufffd') ? new TextDecoder('windows-1252').decode(bytes) : text;
}

const charset = /charset\s{0,9}=\s{0,9}["']?([\w-]{1,40})/i;

function decoderOf(label: string) {
  try {
    return new TextDecoder(label as 'utf-8');
  } catch {
    return null;
  }
}
