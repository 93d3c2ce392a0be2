import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { PostgresServer } from './support/postgres.ts';
import { type SlowProxy, startSlowProxy } from './support/slow-proxy.ts';

/** 504 means that a creation may have been carried out; 503 and 201 would be wrong. */
const outcomeUnknown = [504, 'TIMED_OUT'];
const server = new PostgresServer();
let admin: SQL;
let proxy: SlowProxy;
let app: TestApp;
let owner: TestAccount;

beforeAll(async () => {
  const url = new URL(await server.url());
  admin = new SQL({ url: url.href, max: 1 });
  proxy = startSlowProxy(Number(url.port));
  url.port = String(proxy.port);
  app = await startApp({ env: { DATABASE_URL: url.href } });
  owner = await app.createAccount();
});
afterAll(async () => {
  await app.stop();
  await proxy[Symbol.asyncDispose]();
  await admin.end();
  await server.stop();
});

async function setReplicas(names: string): Promise<void> {
  await admin.unsafe(`alter system set synchronous_standby_names = '${names}'`);
  await admin.unsafe('select pg_reload_conf()');
  await eventually(async () => {
    const [row] = await admin.unsafe('show synchronous_standby_names');
    return row.synchronous_standby_names === names;
  }, 'the setting');
  // Commits wait for replicas only once the checkpointer has read the setting, which it is told of about when this connection is: the
  // first checkpoint may begin before.
  for (let checkpoints = 0; checkpoints < 2; checkpoints++) await admin.unsafe('checkpoint');
}

const create = async (more: object = {}) => {
  const body = { destination_url: 'https://destination.example', ...more };
  const { status, json } = await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
  return [status, json.error_code ?? null];
};

test('a creation does not succeed while the synchronous replica that must store it is away', async () => {
  expect(await create()).toEqual([201, null]);
  await setReplicas('away');
  expect(await create()).toEqual(outcomeUnknown);
  // With a suffix the creation is a transaction: we don't give up its commit, but another client may cancel it.
  const creating = create({ suffix: 'chosen' });
  await eventually(async () => {
    const [row] = await admin.unsafe(
      "select count(pg_cancel_backend(pid))::int as count from pg_stat_activity where wait_event = 'SyncRep'",
    );
    return row.count > 0;
  }, 'a commit that waits');
  expect(await creating).toEqual(outcomeUnknown);
  await setReplicas('');
  expect(await create()).toEqual([201, null]);
});

test('a creation is not refused while the server, which may carry it out later, does not answer', async () => {
  expect(await create()).toEqual([201, null]);
  proxy.delay = 60_000;
  expect(await create()).toEqual(outcomeUnknown);
  proxy.delay = 0;
  await eventually(async () => (await create())[0] === 201, 'a creation');
});
