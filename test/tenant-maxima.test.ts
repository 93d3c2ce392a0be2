import { describe, expect, test } from 'bun:test';
import { insertInParts } from '../src/storage/rows.ts';
import { storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';

/** Their lists have no pages. */
describe.each(storeKinds)('a tenant on %s', (store) => {
  const { app, owner } = appWithOwner({ store });
  const names = (count: number) => Array.from({ length: count }, (_, index) => `name ${index}`);

  test('has at most 10,000 tags', async () => {
    await app.app.context.database.write((queries) =>
      insertInParts(names(9_999), (part) =>
        queries.insertInto('tags').values(
          part.map((name) => ({
            organization_id: owner.organizationId,
            name,
            name_folded: name,
            created_at: 0,
          })),
        ),
      ),
    );
    const create = (name: string) => app.call('POST', '/api/v1/tag', { key: owner.key, body: { name } });
    const last = await create('the last');
    expect(last.status).toBe(201);
    const refused = await create('one more');
    expect(refused.json).toEqual({
      status_code: 409,
      error_string: 'An organization has at most 10,000 tags. Delete one first.',
      error_code: 'TOO_MANY_TAGS',
      field_key: 'name',
    });
    expect((await create('THE LAST')).json.error_code).toBe('TAG_EXISTS');
    await app.call('DELETE', `/api/v1/tag/${last.json.id}`, { key: owner.key });
    expect((await create('one more')).status).toBe(201);
    expect(
      (await app.call('POST', '/api/v1/tag', { key: (await app.createAccount()).key, body: { name: 'a' } }))
        .status,
    ).toBe(201);
  });

  test('has at most 1,000 API keys', async () => {
    await app.app.context.database.write((queries) =>
      insertInParts(names(999), (part) =>
        queries.insertInto('api_keys').values(
          part.map((name) => ({
            created_at: 0,
            user_id: owner.userId,
            organization_id: owner.organizationId,
            name,
            prefix: 'lnt_',
            hash: name,
            last_used_at: null,
          })),
        ),
      ),
    );
    const { status, json } = await app.call('POST', '/api/v1/api_key', {
      key: owner.key,
      body: { name: 'one more' },
    });
    expect([status, json.error_code]).toEqual([409, 'TOO_MANY_KEYS']);
  });

  test('has at most 1,000 open invitations, of which each can be replaced', async () => {
    await app.app.context.database.write((queries) =>
      insertInParts(names(999), (part) =>
        queries.insertInto('invitations').values(
          part.map((name) => ({
            created_at: 0,
            organization_id: owner.organizationId,
            invited_by: owner.userId,
            email: `${name}@example.com`,
            role: 'editor' as const,
            token_hash: name,
            expires_at: Date.now() + 1e9,
          })),
        ),
      ),
    );
    const invite = (email: string) =>
      app.call('POST', '/api/v1/invitation', { key: owner.key, body: { email, role: 'editor' } });
    expect((await invite('last@example.com')).status).toBe(201);
    expect((await invite('last@example.com')).status).toBe(201);
    const { status, json } = await invite('more@example.com');
    expect([status, json.error_code]).toEqual([409, 'TOO_MANY_INVITATIONS']);
  });
});
