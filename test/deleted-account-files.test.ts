import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { eventually } from './support/eventually.ts';
import { filesIn } from './support/files-in.ts';
import { storeFolder } from './support/migrated-store.ts';
import { runServer, stop } from './support/program.ts';

const name = 'Wilhelmina Ungewitter';
const email = 'wilhelmina.ungewitter@people.example';
const password = 'correct horse battery';

test('no file of the data folder names the owner of a deleted account', async () => {
  await using data = await storeFolder();
  const program = runServer({ PORT: '0', DATA_DIR: data.path, REGISTRATION: 'open' });
  const url = await program.address();
  const call = async (method: string, path: string, body: object, headers: Record<string, string> = {}) => {
    const init = { method, headers: { 'content-type': 'application/json', ...headers } };
    const response = await fetch(url + path, { ...init, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
    return { status: response.status, json: (await response.json().catch(() => ({}))) as any };
  };
  const other = { email: 'other@people.example', password };
  await call('POST', '/api/v1/user', other);
  await call('POST', '/api/v1/user', { email, password, name });
  // Other records that name a person: sign-in attempts, and invitations by others.
  await call('POST', '/api/v1/session', { email, password: 'a wrong one' });
  await call('POST', '/api/v1/session', { email, password });
  const tokenOf = async (credentials: object) =>
    `Bearer ${(await call('POST', '/api/v1/auth/create_tokens', credentials)).json.access_token}`;
  const otherHeaders = { authorization: await tokenOf(other) };
  expect((await call('POST', '/api/v1/invitation', { email }, otherHeaders)).status).toBe(201);
  // Only an account with a proven address deletes the invitations to it.
  using store = new Database(join(data.path, 'linnet.sqlite'));
  store.run('pragma busy_timeout = 5000');
  store.run('update users set email_proven = 1');
  const ownHeaders = { authorization: await tokenOf({ email, password }) };
  await call('POST', '/api/v1/api_key', { name: `key of ${name}` }, ownHeaders);
  await call(
    'POST',
    '/api/v1/link',
    { destination_url: 'https://example.com/', name: `by ${name}` },
    ownHeaders,
  );
  const filesNamingOwner = () =>
    filesIn(data.path).filter((bytes) => bytes.includes(email) || bytes.includes('Ungewitter')).length;
  expect(filesNamingOwner()).toBeGreaterThan(0);

  const body = { password, confirm: 'delete_organization' };
  expect((await call('DELETE', '/api/v1/user', body, ownHeaders)).status).toBe(204);
  const signInStatus = async () => (await call('POST', '/api/v1/session', { email, password })).status;
  expect(await signInStatus()).toBe(401);
  // The link is deleted in the background.
  const database = new Database(join(data.path, 'linnet.sqlite'), { readonly: true });
  const links = () =>
    database.query('select id from links union select id from link_bin where name is not null').all();
  await eventually(() => links().length === 0, 'the link to be deleted');
  database.close();
  await stop(program);
  expect(filesNamingOwner()).toBe(0);
});
