import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dayLength } from '../src/rules/durations.ts';
import { findSetting } from '../src/storage/settings.ts';
import {
  type Authority,
  type AutoApp,
  hasPebble,
  ownHost,
  startAuthority,
  startAutoApp,
  visitor,
} from './support/acme.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { runCommand } from './support/program.ts';
import { secureSocket } from './support/tls-app.ts';

describe.skipIf(!hasPebble)('an authority that requires an account issued by it', () => {
  const externalAccount = {
    id: 'kid-1',
    key: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W',
  };
  let authority: Authority;
  beforeAll(async () => {
    authority = await startAuthority({ externalAccount });
    authority.names[ownHost] = { A: ['127.0.0.1'] };
  });
  afterAll(() => authority[Symbol.asyncDispose]());

  test('gets the issued account and the contact address; a day later responses have Strict-Transport-Security; private keys are stored encrypted', async () => {
    await using auto = await startAutoApp(authority, { env: { ACME_EMAIL: 'ops@example.com' } });
    const socket = await secureSocket(auto.app, visitor);
    expect(socket.getPeerCertificate().subjectaltname).toBe(`DNS:${ownHost}`);
    socket.destroy();
    expect(authority.contacts).toEqual([['mailto:ops@example.com']]);
    const hstsHeader = async () =>
      (await auto.app.call('GET', '/app', { headers: { host: ownHost } })).headers.get(
        'strict-transport-security',
      );
    expect(await hstsHeader()).toBeNull();
    // The handshake doesn't wait for this to be stored.
    const { read } = auto.inner.context.database;
    await eventually(
      async () => (await findSetting(read, 'https_since')) !== null,
      'the instant to be stored',
    );
    auto.app.clock.now += dayLength + 60_000;
    expect(await pollUntil(hstsHeader, (header) => header !== null, 'the header')).toBe('max-age=31536000');

    const certificates = await read.selectFrom('certificates').select('sealed_key').execute();
    const accounts = read.selectFrom('settings').select('value').where('key', 'like', 'acme_account%');
    const keys = [
      ...certificates.map((row) => row.sealed_key),
      ...(await accounts.execute()).map((row) => row.value),
    ];
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(key ?? '').not.toContain('PRIVATE');
  });

  test('refuses another account, and the refusal is logged', async () => {
    await using auto = await startAutoApp(authority, { env: { ACME_EAB_KID: '', ACME_EAB_KEY: '' } });
    await eventually(() => auto.lines('certificate not issued').length > 0, 'the log line');
    expect(auto.lines('certificate not issued')[0]).toMatchObject({
      problem: 'account',
      to_do: expect.stringContaining('ACME_EAB_KID'),
    });
  });
});

describe.skipIf(!hasPebble)('a lost secret key', () => {
  test('after `secret replace` a new account orders every certificate anew, and its first visitors wait for it', async () => {
    await using authority = await startAuthority();
    authority.names[ownHost] = { A: ['127.0.0.1'] };
    const servedSerial = async ({ app }: AutoApp) => {
      const socket = await secureSocket(app, visitor);
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    };
    await using before = await startAutoApp(authority);
    const serial = await servedSerial(before);
    await before.inner.stop();
    const store = { DATA_DIR: before.app.dataDir };
    await rm(join(store.DATA_DIR, 'secret.key'));
    expect(await runCommand(['secret', 'replace'], store).exited).toBe(0);
    await using after = await startAutoApp(authority, { env: store });
    expect(await servedSerial(after)).not.toBe(serial);
    expect(authority.contacts).toHaveLength(2);
  });
});
