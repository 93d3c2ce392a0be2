import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { eventually } from './support/eventually.ts';
import { filesIn } from './support/files-in.ts';
import { storeFolder } from './support/migrated-store.ts';
import { runServer } from './support/program.ts';

const name = 'Wilhelmina Ungewitter';
const email = 'wilhelmina.ungewitter@people.example';
const password = 'correct horse battery';

test("a deleted account's owner is named in no file of the data folder", async () => {
  await using data = await storeFolder();
  const program = runServer({ PORT: '0', DATA_DIR: data.path, REGISTRATION: 'open' });
  const url = await program.address();
  const call = async (method: string, path: string, body: object, headers: Record<string, string> = {}) => {
    const init = { method, headers: { 'content-type': 'application/json', ...headers } };
    const answer = await fetch(url + path, { ...init, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
    return { status: answer.status, json: (await answer.json().catch(() => ({}))) as any };
  };
  const other = { email: 'other@people.example', password };
  await call('POST', '/api/v1/user', other);
  await call('POST', '/api/v1/user', { email, password, name });
  // Other places that name a person: sign-in attempts, and what others create for them.
  await call('POST', '/api/v1/session', { email, password: 'a wrong one' });
  await call('POST', '/api/v1/session', { email, password });
  const tokenOf = async (who: object) =>
    `Bearer ${(await call('POST', '/api/v1/auth/create_tokens', who)).json.access_token}`;
  const theirs = { authorization: await tokenOf(other) };
  expect((await call('POST', '/api/v1/invitation', { email }, theirs)).status).toBe(201);
  const own = { authorization: await tokenOf({ email, password }) };
  await call('POST', '/api/v1/api_key', { name: `key of ${name}` }, own);
  await call('POST', '/api/v1/link', { destination_url: 'https://example.com/', name: `by ${name}` }, own);
  const namedIn = () =>
    filesIn(data.path).filter((bytes) => bytes.includes(email) || bytes.includes('Ungewitter')).length;
  expect(namedIn()).toBeGreaterThan(0);

  const body = { password, confirm: 'delete_organization' };
  expect((await call('DELETE', '/api/v1/user', body, own)).status).toBe(204);
  const gone = async () => (await call('POST', '/api/v1/session', { email, password })).status;
  expect(await gone()).toBe(401);
  // The link is deleted in the background.
  const database = new Database(join(data.path, 'linnet.sqlite'), { readonly: true });
  const links = () =>
    database.query('select id from links union select id from link_bin where name is not null').all();
  await eventually(() => links().length === 0, 'the link to go');
  database.close();
  program.kill('SIGTERM');
  expect(await program.exited).toBe(0);
  expect(namedIn()).toBe(0);
});
