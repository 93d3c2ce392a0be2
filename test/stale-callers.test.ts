import { describe, expect, test } from 'bun:test';
import { createApiKey } from '../src/manage/accounts/api-keys.ts';
import { addDomain } from '../src/manage/domains/add-domain.ts';
import type { Caller } from '../src/rules/access.ts';
import { storeKinds } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';

describe.each(storeKinds)('on %s', (store) => {
  const app = appForSuite({ store });

  /** As if the call had been accepted a moment before the user left. */
  test('a call whose user has left the organization leaves nothing behind', async () => {
    await app.createAccount();
    const { key, password, userId, organizationId } = await app.createAccount();
    const caller: Caller = { userId, organizationId, role: 'administrator', via: 'api_key' };
    const { context } = app.app;
    const body = { password, confirm: 'delete_organization' };
    expect((await app.call('DELETE', '/api/v1/user', { key, body })).status).toBe(204);
    await expect(addDomain(context, caller, 'left-behind.example.org')).rejects.toThrow('organization');
    await expect(createApiKey(context, caller, 'left behind')).rejects.toThrow('organization');
    const { read } = context.database;
    expect(await read.selectFrom('domains').select('id').execute()).toEqual([]);
    const keys = read.selectFrom('api_keys').select('id').where('user_id', '=', userId);
    expect(await keys.execute()).toEqual([]);
  });
});
