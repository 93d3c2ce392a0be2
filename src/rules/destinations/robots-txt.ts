const maxLines = 10_000;
/** Of a site's rules: they are read again for each of its addresses. */
const maxStored = 16 * 1024;
const maxPattern = 500;

/**
 * The part of a robots.txt (RFC 9309) for the program called `agent`, as it is stored: a line for each rule, `+` or `-` before its
 * pattern. These are the rules of all groups that name it; if none does, those for every program.
 */
export function robotsFor(text: string, agent: string): string {
  const own: string[] = [];
  const wildcardRules: string[] = [];
  let isNamed = false;
  let [namesAgent, namesAll] = [false, false];
  let isGroupStart = false;
  for (const line of text.split(/\r\n|\r|\n/, maxLines)) {
    const [uncommented = ''] = line.split('#', 1);
    const [, key = '', value = ''] = /^\ufeff?\s*([a-z-]+)\s*:(.*)$/i.exec(uncommented) ?? [];
    const field = key.toLowerCase();
    if (field === 'user-agent') {
      if (!isGroupStart) [namesAgent, namesAll] = [false, false];
      isGroupStart = true;
      const name = (/^[a-z_-]+|^\*/i.exec(value.trim())?.[0] ?? '').toLowerCase();
      namesAgent ||= name === agent.toLowerCase();
      namesAll ||= name === '*';
      isNamed ||= namesAgent;
    } else if (field === 'allow' || field === 'disallow') {
      isGroupStart = false;
      const pattern = value.trim();
      if (pattern === '' || pattern.length > maxPattern) continue;
      const rule = `${field === 'allow' ? '+' : '-'}${pattern}`;
      if (namesAgent) own.push(rule);
      if (namesAll) wildcardRules.push(rule);
    }
  }
  let length = 0;
  const rules = (isNamed ? own : wildcardRules).filter((rule) => {
    length += rule.length + 1;
    return length <= maxStored;
  });
  return rules.join('\n');
}

/** Whether `path`, with its query, may be requested: the longest matching rule decides. */
export function isAllowedByRobots(stored: string, path: string): boolean {
  const text = normal(path);
  let best: { readonly isAllowed: boolean; readonly pattern: string } | null = null;
  for (const line of stored.split('\n')) {
    const rule = { isAllowed: line.startsWith('+'), pattern: line.slice(1) };
    if (rule.pattern === '' || !matches(rule.pattern, text)) continue;
    const isLonger = best === null || rule.pattern.length > best.pattern.length;
    if (isLonger || (rule.isAllowed && rule.pattern.length === best?.pattern.length)) best = rule;
  }
  return best?.isAllowed ?? true;
}

/** A pattern is a prefix, in which `*` matches anything and a final `$` the end. */
function matches(pattern: string, text: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [first = '', ...rest] = normal(isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const [index, part] of rest.entries()) {
    if (isWhole && index === rest.length - 1) return text.length - part.length >= from && text.endsWith(part);
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return !isWhole || from === text.length;
}

/** An unreserved character is equal to its percent-encoded form. */
const normal = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\x21-\x7e]+/g, encodeURIComponent)
    .replace(/%([0-9a-f]{2})/gi, (written, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return /[A-Za-z0-9\-._~]/.test(character) ? character : written.toUpperCase();
    });
