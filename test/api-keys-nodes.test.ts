import { afterAll, beforeAll, expect, test } from 'bun:test';
import { resetTokens } from '../src/auth/opaque-tokens.ts';
import { digest } from '../src/auth/secrets.ts';
import { insertReset } from '../src/storage/password-resets.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { answerWhen } from './support/eventually.ts';
import { invite, type Member, member } from './support/members.ts';
import { migratedPostgres } from './support/migrated-store.ts';

const never = 24 * 60 * 60 * 1000;
/** Learns only of its own changes. */
let near: TestApp;
/** Learns of changes only through the feed. */
let far: TestApp;
let owner: TestAccount;

/** Both cache a key for good, unless they learn that it ended. */
beforeAll(async () => {
  const env = {
    DATABASE_URL: await migratedPostgres(),
    SECRET_KEY: 'the same on every node, and long enough',
  };
  near = await startApp({ env, overrides: { keyLifetime: never, pollInterval: never } });
  far = await startApp({ env, overrides: { keyLifetime: never, pollInterval: 20 } });
  owner = await near.createAccount();
});
afterAll(async () => {
  expect([...near.faults, ...far.faults]).toEqual([]);
  await Promise.all([near.stop(), far.stop()]);
});

const read = async (app: TestApp, key: string) => (await app.call('GET', '/api/v1/user', { key })).status;

/** A member whose key both nodes have cached. */
async function knownMember(role: 'editor' | 'administrator' = 'editor'): Promise<Member> {
  const editor = await member(near, owner, role);
  expect([await read(near, editor.key), await read(far, editor.key)]).toEqual([200, 200]);
  return editor;
}

/** Invalid at once on the node that ended it, and on the other once the feed reports it. */
async function expectEnded(key: string): Promise<void> {
  expect(await read(near, key)).toBe(401);
  await answerWhen(
    () => read(far, key),
    (status) => status === 401,
    'the end of a key',
  );
}

test('a revoked key ends on all nodes, and other keys of its user continue to work', async () => {
  const { key, browser } = await knownMember();
  const made = await near.call('POST', '/api/v1/api_key', { headers: browser, body: { name: 'other' } });
  expect([await read(near, made.json.key), await read(far, made.json.key)]).toEqual([200, 200]);
  const { json } = await near.call('GET', '/api/v1/api_key', { headers: browser });
  const id = json.find(({ name }: { name: string }) => name === 'tests').id;
  expect((await near.call('DELETE', `/api/v1/api_key/${id}`, { key })).status).toBe(204);
  await expectEnded(key);
  expect([await read(near, made.json.key), await read(far, made.json.key)]).toEqual([200, 200]);
});

test('a key that was used too early works as soon as it exists', async () => {
  const { browser } = await knownMember();
  const made = await near.call('POST', '/api/v1/api_key', { headers: browser, body: { name: 'early' } });
  const unknown = `${made.json.key.slice(0, -1)}${made.json.key.endsWith('0') ? '1' : '0'}`;
  expect([await read(far, unknown), await read(far, made.json.key)]).toEqual([401, 200]);
});

test('a key has the rights of its user: a lowered or raised role applies on all nodes', async () => {
  const { key, userId } = await knownMember();
  const may = async (app: TestApp) =>
    (await invite(app, key, `guest${crypto.randomUUID().slice(0, 8)}@example.com`)).status;
  expect(await may(far)).toBe(403);
  for (const [role, status] of [
    ['administrator', 201],
    ['editor', 403],
  ] as const) {
    await near.call('PATCH', `/api/v1/member/${userId}`, { key: owner.key, body: { role } });
    expect(await may(near)).toBe(status);
    await answerWhen(
      () => may(far),
      (got) => got === status,
      `the role ${role}`,
    );
  }
});

test('the keys of a removed member end on all nodes', async () => {
  const { key, userId } = await knownMember();
  expect((await near.call('DELETE', `/api/v1/member/${userId}`, { key: owner.key })).status).toBe(204);
  await expectEnded(key);
});

test('the keys of a member who joins another organization end on all nodes', async () => {
  const { key, email, browser } = await knownMember();
  const other = await near.createAccount(`other${crypto.randomUUID().slice(0, 8)}@example.com`);
  const { json } = await invite(near, other.key, email);
  const body = { token: json.token };
  expect((await near.call('POST', '/api/v1/invitation/accept', { headers: browser, body })).status).toBe(200);
  await expectEnded(key);
});

test('the keys of a deleted account end on all nodes, even if its organization is deleted too', async () => {
  const { key, password } = await knownMember();
  expect((await near.call('DELETE', '/api/v1/user', { key, body: { password } })).status).toBe(204);
  await expectEnded(key);
  const alone = await near.createAccount(`alone${crypto.randomUUID().slice(0, 8)}@example.com`);
  expect([await read(near, alone.key), await read(far, alone.key)]).toEqual([200, 200]);
  const body = { password: alone.password, confirm: 'delete_organization' };
  expect((await near.call('DELETE', '/api/v1/user', { key: alone.key, body })).status).toBe(204);
  await expectEnded(alone.key);
});

test('keys that may be another person’s end on all nodes with the first proof of an address', async () => {
  const { key, userId } = await knownMember();
  const token = resetTokens.make(near.app.context.randomBytes);
  const now = near.clock.now;
  await near.app.context.database.write((queries) =>
    insertReset(queries, {
      ...{ created_at: now, expires_at: now + never },
      ...{ user_id: userId, token_hash: digest(token) },
    }),
  );
  const body = { token, new_password: 'another long enough one' };
  expect((await near.call('POST', '/api/v1/user/reset_password', { body })).status).toBe(204);
  await expectEnded(key);
});

test('the last use of a key is stored, though it isn’t looked up', async () => {
  const { key, browser } = await knownMember();
  const usedAt = async () => {
    await read(near, key);
    return (await near.call('GET', '/api/v1/api_key', { headers: browser })).json[0].last_used_at;
  };
  const first = await answerWhen(usedAt, (at) => at !== null, 'the first use');
  near.clock.now += 61_000;
  await answerWhen(usedAt, (at) => at > first, 'a later use');
});
