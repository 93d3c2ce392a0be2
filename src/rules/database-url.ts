const form = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]+)([/?#].*)?$/;

/** The accepted values of `target_session_attrs`: Linnet needs a server that accepts writes. */
const targets: ReadonlySet<string> = new Set(['any', 'read-write', 'primary']);

/**
 * The servers in a PostgreSQL address, which may have several like libpq's: `host1:port,host2:port`. One address for each, in
 * their order; null for an invalid address.
 */
export function serversOf(text: string): readonly string[] | null {
  const [, start = '', hosts = '', rest = ''] = form.exec(text) ?? [];
  const servers = hosts.split(',').map((host) => start + host + rest);
  const urls = servers.map((server) => URL.parse(server));
  if (hosts === '' || urls.some((url) => url === null || url.hostname === '')) return null;
  const target = urls[0]?.searchParams.get('target_session_attrs');
  if (target == null) return servers;
  if (!targets.has(target)) return null;
  for (const url of urls) url?.searchParams.delete('target_session_attrs');
  return urls.map((url) => String(url));
}

/** What is wrong with an address of PostgreSQL, as advice; null if nothing is. */
export function databaseUrlAdvice(text: string): string | null {
  const given = new URLSearchParams(/\?([^#]*)/.exec(text)?.[1]);
  const target = given.get('target_session_attrs');
  if (target !== null && !targets.has(target))
    return `give one of ${[...targets].join(', ')} for target_session_attrs, or leave that out: Linnet writes to the database`;
  const naming = given.get('prepared_statements');
  if (naming !== null && naming !== 'on' && naming !== 'off')
    return 'give on or off for prepared_statements, or leave that out';
  return serversOf(text) === null
    ? 'give postgres://user:password@host:5432/database, with more servers as host1:5432,host2:5432, or leave it out for SQLite'
    : null;
}

/** For messages: without its user and password. */
export function serverName(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || 5432}`;
}

/** The default maximum of connections for callers. */
export const defaultPool = 12;
