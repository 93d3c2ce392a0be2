import { mkdir } from 'node:fs/promises';
import { fetchInTime, firstAccount, firstSession, postTo } from './account.ts';
import { browserUserAgent, type StoreKind } from './app.ts';
import { eventually } from './eventually.ts';
import { migratedPostgres, migratedSqlite } from './migrated-store.ts';
import { freshPostgres } from './postgres.ts';
import { type Program, resultOf, runCommand, runServer } from './program.ts';

/** A running server whose store contains data of every kind, with credentials to query it. */
export interface PopulatedServer {
  readonly url: string;
  readonly settings: Record<string, string>;
  readonly server: Program;
  readonly key: string;
  readonly cookie: string;
}

export const webhookKey = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Settings of a server with an empty store that is fully migrated. */
export async function settingsFor(kind: StoreKind, dataDir: string): Promise<Record<string, string>> {
  await mkdir(dataDir, { recursive: true });
  if (kind === 'sqlite') await migratedSqlite(dataDir);
  return settingsOf(dataDir, kind === 'postgres' ? await migratedPostgres() : '');
}

/** Settings of a server, or of a restore, that has no store yet. */
export const settingsWithoutStore = async (
  kind: StoreKind,
  dataDir: string,
): Promise<Record<string, string>> => settingsOf(dataDir, kind === 'postgres' ? await freshPostgres() : '');

const settingsOf = (DATA_DIR: string, DATABASE_URL: string): Record<string, string> => ({
  PORT: '0',
  DATA_DIR,
  DATABASE_URL,
  DNS_SERVERS: '127.0.0.1:9',
});

export async function populateServer(settings: Record<string, string>): Promise<PopulatedServer> {
  const server = runServer(settings);
  const url = await server.address();
  const { key } = await firstAccount(url);
  const cookie = await firstSession(url);
  const headers = { 'api-key': key };
  const post = postTo(url, { headers });
  const tag = await post<{ id: number }>('/api/v1/tag', { name: 'Österreich "x" \\ 😀' });
  const createLink = (suffix: string, destination: string, fields: object = {}) =>
    post<{ id: number }>('/api/v1/link', { destination_url: destination, suffix, ...fields });
  await createLink('plain', 'https://example.com/plain', { tags: [tag.id] });
  await createLink('busy', 'https://example.com/busy');
  await createLink('hooked', 'https://example.com/h', {
    webhook_auth_key: webhookKey,
    webhook_url: 'https://hooks.example.com/x',
    name: 'line\nbreak',
  });
  await createLink('secret', 'https://example.com/p', { password: 'open it' });
  const deleted = await createLink('gone', 'https://example.com/g');
  await fetchInTime(`${url}/api/v1/link/${deleted.id}`, { method: 'DELETE', headers });
  await post('/api/v1/domain', { domain: 'go.example.net' });
  await post('/api/v1/invitation', { email: 'guest@example.com', role: 'editor' });
  const populated = { url, settings, server, key, cookie };
  await sendClicks(populated, 'plain', 3);
  // Enough in one batch to be stored in packs.
  await sendClicks(populated, 'busy', 300);
  await waitUntilCounted(populated, '3 300');
  return populated;
}

/** Waits until the links `plain` and `busy` have these numbers of clicks. */
async function waitUntilCounted(
  { url, key }: Pick<PopulatedServer, 'url' | 'key'>,
  wanted: string,
): Promise<void> {
  const counted = async () => {
    const response = await fetchInTime(`${url}/api/v1/link?limit=50`, { headers: { 'api-key': key } });
    const { links } = (await response.json()) as { links: { suffix: string; clicks: number }[] };
    const [plain, busy] = ['plain', 'busy'].map((name) => links.find(({ suffix }) => suffix === name));
    return `${plain?.clicks} ${busy?.clicks}`;
  };
  await eventually(async () => (await counted()) === wanted, 'all clicks to be counted');
}

/** Each click has a visitor of its own, numbered from `from`. */
export async function sendClicks(
  { url }: Pick<PopulatedServer, 'url'>,
  suffix: string,
  count: number,
  from = 0,
): Promise<void> {
  const visit = (index: number) =>
    fetch(`${url}/${suffix}?utm_source=s${index % 7}`, {
      redirect: 'manual',
      headers: { 'user-agent': `${browserUserAgent} Test/${from + index}` },
    });
  const responses = await Promise.all(Array.from({ length: count }, (_, index) => visit(index)));
  for (const { status } of responses) if (status !== 302) throw new Error(`a visit was answered ${status}`);
}

/** The contents of a store, as the API and visitors see them. */
export async function contentsOf({ url, key, cookie }: Pick<PopulatedServer, 'url' | 'key' | 'cookie'>) {
  const keyHeaders = { 'api-key': key };
  const get = async (path: string, headers: Record<string, string> = keyHeaders) =>
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
    (await (await fetchInTime(url + path, { headers })).json()) as any;
  const links = await get('/api/v1/link?limit=50');
  const byName = Object.fromEntries(
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
    links.links.map((link: any) => [link.suffix, link]),
  );
  const visit = await fetch(`${url}/plain`, { method: 'HEAD', redirect: 'manual' });
  return {
    clicks: `${byName.plain?.clicks} ${byName.busy?.clicks}`,
    // The QR code contains the URL, and so the port.
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
    links: links.links.map(({ qr_code_svg, ...link }: any) => ({
      ...link,
      hasPicture: qr_code_svg.length > 0,
    })),
    deleted: await get('/api/v1/link/deleted'),
    tags: await get('/api/v1/tag'),
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
    domains: (await get('/api/v1/domain')).map(({ domain, records }: any) => [domain, records[0]?.value]),
    invitations: await get('/api/v1/invitation'),
    user: await get('/api/v1/user', { cookie }),
    statistics: { ...(await get(`/api/v1/link/${byName.busy?.id}/stats`)), from: '', to: '' },
    ledger: await get(`/api/v1/link/${byName.busy?.id}/clicks?limit=100`),
    webhookKey: (await get(`/api/v1/link/${byName.hooked?.id}`)).webhook_auth_key,
    redirect: [visit.status, visit.headers.get('location')],
  };
}

/** Runs a command; returns its exit code, its output and its error output. */
export const runToExit = (words: string[], settings: Record<string, string>) =>
  resultOf(runCommand(words, settings));
