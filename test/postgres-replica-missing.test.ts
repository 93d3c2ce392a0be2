import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { type Newcomer, startApp, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { PostgresServer } from './support/postgres.ts';

const server = new PostgresServer();
let admin: SQL;
let app: TestApp;
let owner: Newcomer;

beforeAll(async () => {
  const url = await server.url();
  admin = new SQL({ url, max: 1 });
  app = await startApp({ env: { DATABASE_URL: url } });
  owner = await app.newcomer();
});
afterAll(async () => {
  await app.stop();
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
}

const create = async () => {
  const body = { destination_url: 'https://destination.example' };
  const { status, json } = await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
  return [status, json.error_code ?? null];
};

test('a creation is not answered with success while the synchronous replica that has to have it is away', async () => {
  expect(await create()).toEqual([201, null]);
  await setReplicas('away');
  // Whether it was carried out is open.
  expect(await create()).toEqual([504, 'TIMED_OUT']);
  await setReplicas('');
  expect(await create()).toEqual([201, null]);
});
