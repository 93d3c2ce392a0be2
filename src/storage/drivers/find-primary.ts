import pg from 'pg';
import { serversOf } from '../../rules/database-url.ts';
import { connectTimeout } from './connect-timeout.ts';

/** Whether a server takes changes, can only be read, or doesn't answer. */
export type ServerState = 'writes' | 'reads' | 'away';

export const readOnlySql = 'show transaction_read_only';
/** False on a standby, and where an administrator has made it read-only. */
export const takesChanges = (rows: readonly { transaction_read_only?: string }[]): boolean =>
  rows[0]?.transaction_read_only === 'off';

/** Milliseconds for a server to answer. A slower one is of no use. */
export const answerTime = 2_000;

/** Queries a server's state over a connection of its own. */
async function serverStateOf(url: string): Promise<ServerState> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'linnet',
    connectionTimeoutMillis: connectTimeout(url),
    query_timeout: answerTime,
  });
  // An error without a listener would end the process; the failing query reports it.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(readOnlySql);
    await client.end();
    return takesChanges(rows) ? 'writes' : 'reads';
  } catch {
    client.end().catch(() => {});
    return 'away';
  }
}

export interface FoundServer {
  readonly url: string;
  readonly state: Exclude<ServerState, 'away'>;
}

/**
 * The first server to report that it takes changes, without waiting for the others, one of which may never answer; otherwise,
 * once all have answered, the first that can be read.
 */
export async function findServer(
  urls: readonly string[],
  getState = serverStateOf,
): Promise<FoundServer | null> {
  const found = urls.map(async (url) => ({ url, state: await getState(url) }));
  const writing = found.map(async (server) => {
    const { url, state } = await server;
    if (state !== 'writes') throw new Error(state);
    return { url, state };
  });
  return Promise.any(writing).catch(async () => {
    const reading = (await Promise.all(found)).find(({ state }) => state === 'reads');
    return reading === undefined ? null : { url: reading.url, state: 'reads' };
  });
}

/** The address of the one server to connect to, among those in `DATABASE_URL`. */
export async function primaryOf(databaseUrl: string): Promise<string> {
  const urls = serversOf(databaseUrl) ?? [databaseUrl];
  const [first = databaseUrl] = urls;
  return urls.length === 1 ? first : ((await findServer(urls))?.url ?? first);
}
