import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { lockDataFolder } from '../src/compose/server-lock.ts';
import { loadConfig } from '../src/config/load.ts';
import { openStore } from '../src/store.ts';
import { Log } from '../src/telemetry/log.ts';
import { startApp, storeKinds, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { runToExit, settingsFor, webhookKey } from './support/populated-server.ts';
import { temporaryFolder } from './support/program.ts';

const otherKey = 'another secret key, which is long enough';

describe.each(storeKinds)('`secret replace` on %s', (store) => {
  let app: TestApp;
  afterEach(() => app.stop());

  test('changes nothing if the key is the right one, or while a server runs', async () => {
    app = await startApp({ store });
    const { key } = await app.createAccount();
    const body = {
      destination_url: 'https://example.com',
      suffix: 'hooked',
      webhook_url: 'https://hooks.example.com/x',
      webhook_auth_key: webhookKey,
    };
    const { json: link } = await app.call('POST', '/api/v1/link', { key, body });
    const settings = { DATA_DIR: app.dataDir, DATABASE_URL: app.databaseUrl };
    const replace = (env: Record<string, string> = {}) =>
      runToExit(['secret', 'replace'], { ...settings, ...env });

    expect(await replace()).toEqual([1, '', expect.stringContaining('The key fits; nothing was changed.')]);
    if (store === 'sqlite') {
      const lock = await lockDataFolder(loadConfig(settings), new Log('error'));
      expect(await replace({ SECRET_KEY: otherKey })).toEqual([
        1,
        '',
        expect.stringContaining(`${resolve(app.dataDir)} is in use by another Linnet`),
      ]);
      lock[Symbol.dispose]();
    } else {
      const nodes = async () =>
        (await app.app.context.database.read.selectFrom('nodes').selectAll().execute()).length;
      await eventually(async () => (await nodes()) > 0, 'the report of the node');
      expect(await replace({ SECRET_KEY: otherKey })).toEqual([
        1,
        '',
        expect.stringMatching(/^A node has reported within the last minute, on .+\. Stop every node, wait/),
      ]);
    }
    const after = await app.call('GET', `/api/v1/link/${link.id}`, { key });
    expect(after.json.webhook_auth_key).toBe(webhookKey);
  });
});

describe.each(storeKinds)('a missing secret.key, with %s', (store) => {
  test('is created by the first of several processes, and never again', async () => {
    await using folder = await temporaryFolder();
    const settings = await settingsFor(store, folder.path);
    const file = join(folder.path, 'secret.key');
    const open = () => openStore(loadConfig(settings), new Log('error'));
    const stores = await Promise.all([open(), open(), open()]);
    expect(new Set(stores.map(({ secrets }) => secrets.sign('setup', 'text'))).size).toBe(1);
    for (const { database } of stores) await database.close();

    await rename(file, `${file}.kept`);
    const failure = await open().catch((cause) => String(cause));
    expect(failure).toContain(`secret.key is missing in ${folder.path}`);
    expect(existsSync(file)).toBe(false);
    await rename(`${file}.kept`, file);
    await (await open()).database.close();
  });
});

test('the content of secret.key with its line break, as SECRET_KEY, is refused by naming that', async () => {
  await using folder = await temporaryFolder();
  const settings = { DATA_DIR: folder.path };
  const open = (env: Record<string, string>) =>
    openStore(loadConfig({ ...settings, ...env }), new Log('error'));
  await (await open({})).database.close();
  const SECRET_KEY = readFileSync(join(folder.path, 'secret.key'), 'utf8');
  const named = 'another secret key. SECRET_KEY begins or ends with a blank or a line break';
  expect(await open({ SECRET_KEY }).catch((cause) => String(cause))).toContain(named);
  const [code, out] = await runToExit(['doctor'], { ...settings, SECRET_KEY });
  expect([code, out]).toEqual([1, expect.stringContaining(named)]);
  await (await open({ SECRET_KEY: SECRET_KEY.trim() })).database.close();
});

test('no key is created if the database can not be opened', async () => {
  await using folder = await temporaryFolder();
  const DATABASE_URL = 'postgres://linnet@127.0.0.1:1/none';
  const config = loadConfig({ DATA_DIR: folder.path, DATABASE_URL });
  expect(await openStore(config, new Log('error')).catch((cause) => String(cause))).toContain('127.0.0.1:1');
  expect(existsSync(join(folder.path, 'secret.key'))).toBe(false);
});
