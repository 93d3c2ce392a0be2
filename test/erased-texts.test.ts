import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SQL } from 'bun';
import { accountWithLinks } from './support/account.ts';
import { browserUserAgent, startApp, storeKinds, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { filesIn } from './support/files-in.ts';
import { finishedCorrection } from './support/finished-correction.ts';
import { storeFolder } from './support/migrated-store.ts';
import { runServer } from './support/program.ts';

/** Every row of every table, as text. */
async function allRowsOf({ databaseUrl, dataDir }: TestApp): Promise<string> {
  await using sql = new SQL(databaseUrl === '' ? `sqlite://${join(dataDir, 'linnet.sqlite')}` : databaseUrl);
  const tables =
    databaseUrl === ''
      ? await sql`select name from sqlite_schema where type = 'table'`
      : await sql`select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`;
  const rows: unknown[] = [];
  for (const { name } of tables) rows.push(...(await sql.unsafe(`select * from "${name}"`)));
  return JSON.stringify(rows);
}

describe.each(storeKinds)('texts of erased clicks on %s', (store) => {
  test('disappear from every table, and are counted again if they return', async () => {
    const app = await startApp({
      store,
      overrides: { correctionInterval: 20, sweepInterval: 20, clearInterval: 20 },
    });
    const owner = await app.createAccount();
    const call = (method: string, path: string, body?: object) =>
      app.call(method, `/api/v1/${path}`, { key: owner.key, ...(body && { body }) });
    const link = async () => {
      const { json } = await call('POST', 'link', { destination_url: 'https://example.com' });
      return { id: json.id, path: new URL(json.url).pathname };
    };
    const [one, other] = [await link(), await link()];
    const visit = async (path: string, query: string, referer = '') => {
      await app.visit(`${path}?${query}`, { ...(referer && { referer }) });
      await app.app.clicks.settled();
    };
    const erase = async (path: string) => {
      const { status } = await finishedCorrection(app, owner.key, await call('DELETE', path));
      expect(status).toBe(200);
    };
    const eventuallyGone = (text: string) =>
      eventually(async () => !(await allRowsOf(app)).includes(text), `${text} to be gone`);

    await visit(
      one.path,
      'utm_source=erika-kurz&utm_term=erika-term&utm_medium=shared',
      'https://erika.example/',
    );
    await visit(other.path, 'utm_source=another&utm_medium=shared');
    expect(await allRowsOf(app)).toContain('erika-term');
    await erase(`link/${one.id}/clicks`);
    await eventuallyGone('erika');
    const kept = await allRowsOf(app);
    expect(kept).toContain('another');
    expect(kept).toContain('shared');

    // The fold has had an id for this text.
    app.clock.now += 10_000;
    await visit(one.path, 'utm_source=erika-kurz&utm_medium=shared');
    expect((await call('GET', `link/${one.id}/clicks`)).text).toContain('erika-kurz');

    const from = new Date(app.clock.now - 1_000).toISOString();
    await erase(`clicks?from=${from}`);
    await eventuallyGone('erika');

    await visit(one.path, 'utm_campaign=erika-campaign');
    await visit(other.path, 'utm_content=of-an-account');
    const { email, password } = owner;
    const { json } = await app.call('POST', '/api/v1/auth/create_tokens', { body: { email, password } });
    const deleted = await app.call('DELETE', '/api/v1/user', {
      body: { password, confirm: 'delete_organization' },
      headers: { authorization: `Bearer ${json.access_token}` },
    });
    expect(deleted.status).toBe(204);
    await eventuallyGone('erika-campaign');
    await eventuallyGone('of-an-account');
    expect(app.faults).toEqual([]);
    await app.stop();
  }, 120_000);
});

test('after a clean stop no file of the data folder has a text of erased clicks', async () => {
  await using folder = await storeFolder();
  const text = 'utm-of-erika-gabler';
  const files = () => filesIn(folder.path).filter((bytes) => bytes.includes(text));
  const server = runServer({ PORT: '0', DATA_DIR: folder.path });
  try {
    const url = await server.address();
    const { key, ids } = await accountWithLinks(url, ['promo']);
    const headers = { 'user-agent': browserUserAgent, referer: `https://${text}.example/` };
    for (const field of ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'])
      await fetch(`${url}/promo?${field}=${text}-${field}`, { redirect: 'manual', headers });
    await eventually(() => files().length > 0, 'the text to be written');
    const erased = await fetch(`${url}/api/v1/link/${ids.get('promo')}/clicks`, {
      method: 'DELETE',
      headers: { 'api-key': key },
    });
    expect(((await erased.json()) as { hits: number }).hits).toBe(5);
    const words = async () => {
      await using sql = new SQL(`sqlite://${join(folder.path, 'linnet.sqlite')}`);
      return await sql`select word from words where word like ${`%${text}%`}`;
    };
    await eventually(async () => (await words()).length === 0, 'the texts to be deleted');
  } finally {
    server.kill('SIGTERM');
  }
  expect(await server.exited).toBe(0);
  expect(files()).toEqual([]);
}, 120_000);
