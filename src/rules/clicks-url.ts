import { percentDecoded } from './text.ts';

/** Where individual hits are stored if they aren't in the database: a server with ClickHouse's HTTP interface. */
export interface ClickServer {
  /** http or https, with host and port. */
  readonly origin: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

const schemes: Readonly<Record<string, readonly [scheme: string, port: string]>> = {
  'clickhouse:': ['http', '8123'],
  'clickhouses:': ['https', '8443'],
};

/** From `clickhouse://user:password@host:8123/database`, or `clickhouses://` over TLS; null for any other address. */
export function clickServerOf(text: string): ClickServer | null {
  const url = URL.parse(text);
  const [scheme, port] = schemes[url?.protocol ?? ''] ?? [];
  if (!url || scheme === undefined || url.hostname === '' || url.search !== '' || url.hash !== '')
    return null;
  const database = percentDecoded(url.pathname.slice(1));
  const [user, password] = [percentDecoded(url.username), percentDecoded(url.password)];
  if (database === null || user === null || password === null) return null;
  if (!/^[A-Za-z_]\w*$/.test(database)) return null;
  return { origin: `${scheme}://${url.hostname}:${url.port || port}`, user, password, database };
}

/** For messages: without its user and password. */
export const clickServerName = ({ origin, database }: ClickServer): string => `${origin}/${database}`;
