const form = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]+)([/?#].*)?$/;

/** What `target_session_attrs` may ask for: Linnet writes. */
const targets: ReadonlySet<string> = new Set(['any', 'read-write', 'primary']);

/**
 * The servers that an address of PostgreSQL names, as libpq writes several: `host1:port,host2:port`. One address for each, in
 * their order; null for what is no such address.
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

/** How people are told of it: without its user and password. */
export function serverName(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || 5432}`;
}

/** How many connections people's calls have at most, unless it is set. */
export const defaultPool = 12;
