import { expect, test } from 'bun:test';
import { resetTokens } from '../src/auth/opaque-tokens.ts';
import { digest } from '../src/auth/secrets.ts';
import { dayLength } from '../src/rules/durations.ts';
import { insertReset } from '../src/storage/accounts/password-resets.ts';
import type { TestApp } from './support/app.ts';
import { nodesWithOwner } from './support/app-suite.ts';
import { pollUntil } from './support/eventually.ts';
import { invite, type Member, member } from './support/members.ts';

const never = dayLength;
/** Both nodes cache a key permanently, unless they learn that it has become invalid. */
const { nodeA, nodeB, owner } = nodesWithOwner(
  // Doesn't poll the feed: learns only of changes made on it.
  { overrides: { keyLifetime: never, pollInterval: never } },
  // Learns of changes on the other node only through the feed.
  { overrides: { keyLifetime: never, pollInterval: 20 } },
);

const userStatus = async (app: TestApp, key: string) =>
  (await app.call('GET', '/api/v1/user', { key })).status;

/** A member whose key both nodes have cached. */
async function knownMember(role: 'editor' | 'administrator' = 'editor'): Promise<Member> {
  const editor = await member(nodeA, owner, role);
  expect([await userStatus(nodeA, editor.key), await userStatus(nodeB, editor.key)]).toEqual([200, 200]);
  return editor;
}

/** Invalid at once on the node that made the change, and on the other once the feed reports it. */
async function expectInvalid(key: string): Promise<void> {
  expect(await userStatus(nodeA, key)).toBe(401);
  await pollUntil(
    () => userStatus(nodeB, key),
    (status) => status === 401,
    'the key to become invalid',
  );
}

test('a revoked key becomes invalid on all nodes, and other keys of its user continue to work', async () => {
  const { key, browserHeaders: browser } = await knownMember();
  const made = await nodeA.call('POST', '/api/v1/api_key', { headers: browser, body: { name: 'other' } });
  expect([await userStatus(nodeA, made.json.key), await userStatus(nodeB, made.json.key)]).toEqual([
    200, 200,
  ]);
  const { json } = await nodeA.call('GET', '/api/v1/api_key', { headers: browser });
  const id = json.find(({ name }: { name: string }) => name === 'tests').id;
  expect((await nodeA.call('DELETE', `/api/v1/api_key/${id}`, { key })).status).toBe(204);
  await expectInvalid(key);
  expect([await userStatus(nodeA, made.json.key), await userStatus(nodeB, made.json.key)]).toEqual([
    200, 200,
  ]);
});

test('a new key works at once on the other node, and an unknown key with the same beginning does not', async () => {
  const { browserHeaders: browser } = await knownMember();
  const made = await nodeA.call('POST', '/api/v1/api_key', { headers: browser, body: { name: 'early' } });
  const unknown = `${made.json.key.slice(0, -1)}${made.json.key.endsWith('0') ? '1' : '0'}`;
  expect([await userStatus(nodeB, unknown), await userStatus(nodeB, made.json.key)]).toEqual([401, 200]);
});

test('a key has the rights of its user: a lowered or raised role applies on all nodes', async () => {
  const { key, userId } = await knownMember();
  const inviteStatus = async (app: TestApp) =>
    (await invite(app, key, `guest${crypto.randomUUID().slice(0, 8)}@example.com`)).status;
  expect(await inviteStatus(nodeB)).toBe(403);
  for (const [role, status] of [
    ['administrator', 201],
    ['editor', 403],
  ] as const) {
    await nodeA.call('PATCH', `/api/v1/member/${userId}`, { key: owner.key, body: { role } });
    expect(await inviteStatus(nodeA)).toBe(status);
    await pollUntil(
      () => inviteStatus(nodeB),
      (got) => got === status,
      `the role ${role}`,
    );
  }
});

test('the keys of a removed member become invalid on all nodes', async () => {
  const { key, userId } = await knownMember();
  expect((await nodeA.call('DELETE', `/api/v1/member/${userId}`, { key: owner.key })).status).toBe(204);
  await expectInvalid(key);
});

test('the keys of a member who joins another organization become invalid on all nodes', async () => {
  const { key, email, browserHeaders: browser } = await knownMember();
  const other = await nodeA.createAccount(`other${crypto.randomUUID().slice(0, 8)}@example.com`);
  const { json } = await invite(nodeA, other.key, email);
  const body = { token: json.token };
  expect((await nodeA.call('POST', '/api/v1/invitation/accept', { headers: browser, body })).status).toBe(
    200,
  );
  await expectInvalid(key);
});

test('the keys of a deleted account become invalid on all nodes, even if its organization is deleted too', async () => {
  const { key, password } = await knownMember();
  expect((await nodeA.call('DELETE', '/api/v1/user', { key, body: { password } })).status).toBe(204);
  await expectInvalid(key);
  const single = await nodeA.createAccount(`alone${crypto.randomUUID().slice(0, 8)}@example.com`);
  expect([await userStatus(nodeA, single.key), await userStatus(nodeB, single.key)]).toEqual([200, 200]);
  const body = { password: single.password, confirm: 'delete_organization' };
  expect((await nodeA.call('DELETE', '/api/v1/user', { key: single.key, body })).status).toBe(204);
  await expectInvalid(single.key);
});

test('keys that may be another person’s become invalid on all nodes with the first proof of an address', async () => {
  const { key, userId } = await knownMember();
  const token = resetTokens.make(nodeA.app.context.randomBytes);
  const now = nodeA.clock.now;
  await nodeA.app.context.database.write((queries) =>
    insertReset(queries, {
      ...{ created_at: now, expires_at: now + never },
      ...{ user_id: userId, token_hash: digest(token) },
    }),
  );
  const body = { token, new_password: 'another long enough one' };
  expect((await nodeA.call('POST', '/api/v1/user/reset_password', { body })).status).toBe(204);
  await expectInvalid(key);
});

test('the last use of a key is stored, though a cached key isn’t looked up', async () => {
  const { key, browserHeaders: browser } = await knownMember();
  const usedAt = async () => {
    await userStatus(nodeA, key);
    return (await nodeA.call('GET', '/api/v1/api_key', { headers: browser })).json[0].last_used_at;
  };
  const first = await pollUntil(usedAt, (at) => at !== null, 'the first use');
  nodeA.clock.now += 61_000;
  await pollUntil(usedAt, (at) => at > first, 'a later use');
});
