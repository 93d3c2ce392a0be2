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

/** For messages: without its user and password. */
export function serverName(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || 5432}`;
}

/** The default maximum of connections for callers. */
export const defaultPool = 12;
