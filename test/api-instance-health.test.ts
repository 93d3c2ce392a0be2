import { beforeAll, describe, expect, test } from 'bun:test';
import { startApp, storeKinds, type TestAccount } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { invite, member } from './support/members.ts';

describe.each(storeKinds)('the health of the service, on %s', (store) => {
  const app = appForSuite({ store });
  let first: TestAccount;
  let tenant: TestAccount;
  beforeAll(async () => {
    first = await app.createAccount();
    tenant = await app.createAccount();
  });

  const health = (key: string) => app.call('GET', '/api/v1/instance/health', { key });
  const runsInstance = async (key: string) =>
    (await app.call('GET', '/api/v1/organization', { key })).json.runs_instance;

  test('is shown to administrators of the first account’s organization', async () => {
    const { status, json } = await health(first.key);
    expect([status, await runsInstance(first.key)]).toEqual([200, true]);
    expect(json.findings[0]).toEqual({
      check: 'settings',
      state: 'ok',
      found: 'All settings can be used.',
      todo: null,
    });
    const checks = new Set(json.findings.map(({ check }: { check: string }) => check));
    for (const check of ['disk', 'clock', 'dns', 'address', 'database', 'mail', 'backlog', 'backup'])
      expect(checks).toContain(check);
    expect(json.is_well).toBe(json.findings.every(({ state }: { state: string }) => state !== 'problem'));
    const colleague = await member(app, first, 'administrator');
    expect((await health(colleague.key)).status).toBe(200);
  });

  test('is not shown to other organizations, editors, or without a key', async () => {
    const refused = async (key: string) => {
      const { status, json } = await health(key);
      return [status, json.error_code, json.findings];
    };
    expect(await refused(tenant.key)).toEqual([403, 'FORBIDDEN', undefined]);
    expect(await runsInstance(tenant.key)).toBe(false);
    const editor = await member(app, first);
    expect(await refused(editor.key)).toEqual([403, 'FORBIDDEN', undefined]);
    expect((await app.call('GET', '/api/v1/instance/health')).status).toBe(401);
  });

  test('a change of the organization also returns whether it runs the service', async () => {
    const changed = await app.call('PATCH', '/api/v1/organization', {
      key: first.key,
      body: { name: 'Ops' },
    });
    expect([changed.status, changed.json.runs_instance]).toEqual([200, true]);
  });
});

test.each(storeKinds)(
  'the only member of the organization that runs the service does not lose it by joining another, on %s',
  async (store) => {
    const app = await startApp({ store });
    const [first, tenant] = [await app.createAccount(), await app.createAccount()];
    const { token } = (await invite(app, tenant.key, first.email)).json;
    const accept = () => app.call('POST', '/api/v1/invitation/accept', { key: first.key, body: { token } });
    const refused = await accept();
    expect([refused.status, refused.json.error_code]).toEqual([409, 'ORGANIZATION_IN_USE']);
    expect(refused.json.error_string).toContain('runs this service');
    const successor = await member(app, first, 'administrator');
    const role = { role: 'editor' };
    await app.call('PATCH', `/api/v1/member/${first.userId}`, { key: successor.key, body: role });
    expect((await accept()).status).toBe(200);
    expect((await app.call('GET', '/api/v1/instance/health', { key: successor.key })).status).toBe(200);
    await app.stop();
  },
);
