import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { openReadOnlyStore } from '../src/backup/read-only-store.ts';
import {
  type Authority,
  type AutoApp,
  type CallOutcome,
  hasPebble,
  ownHost,
  startAuthority,
  startAutoApp,
  visitor,
} from './support/acme.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { TcpProxy } from './support/tcp-proxy.ts';
import { secureSocket } from './support/tls-app.ts';

const customHost = 'go.example.org';

describe.skipIf(!hasPebble)('the store becomes unavailable during an order', () => {
  let authority: Authority;
  let auto: AutoApp;
  let proxy: TcpProxy;
  let databaseUrl: string;
  beforeAll(async () => {
    authority = await startAuthority();
    for (const host of [ownHost, customHost]) authority.names[host] = { A: ['127.0.0.1'] };
  });
  afterAll(() => authority[Symbol.asyncDispose]());
  beforeEach(async () => {
    authority.outcomeOf = () => 'passed';
    databaseUrl = await migratedPostgres();
    proxy = new TcpProxy(databaseUrl);
    await proxy.open();
    auto = await startAutoApp(authority, { env: { DATABASE_URL: proxy.url } });
    expect(await servedName(ownHost)).toBe(`DNS:${ownHost}`);
    await auto.inner.context.database.write(async (queries) => {
      await queries.insertInto('organizations').values({ id: 1, created_at: 1, name: 'one' }).execute();
      const domain = { created_at: 1, organization_id: 1, host: customHost, verified_at: 1 };
      await queries.insertInto('domains').values(domain).execute();
    });
    authority.calls.length = 0;
  });
  afterEach(async () => {
    await auto[Symbol.asyncDispose]();
    await proxy.close();
  });

  async function servedName(servername: string): Promise<string | undefined> {
    const socket = await secureSocket(auto.app, { servername, ...visitor });
    const { subjectaltname } = socket.getPeerCertificate();
    socket.destroy();
    return subjectaltname;
  }
  const isServed = (host: string) =>
    servedName(host).then(
      (name) => name === `DNS:${host}`,
      () => false,
    );
  const orders = () => authority.calls.filter((call) => call === 'POST /order-plz').length;
  /** Closes the database connection at the authority's first request for this path, before it responds. */
  function disconnectAt(path: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isDisconnected = false;
    authority.outcomeOf = async (_, requested): Promise<CallOutcome> => {
      if (!isDisconnected && requested.startsWith(path)) {
        isDisconnected = true;
        await proxy.close();
        resolve();
      }
      return 'passed';
    };
    return promise;
  }
  const outageDetected = () =>
    eventually(() => auto.lines('change feed away').length > 0, 'the outage to be detected');

  test('during the validation: the challenge is stored once the store is back, and the order continues', async () => {
    const disconnected = disconnectAt('/authZ/');
    const first = servedName(customHost).catch(() => 'refused');
    await disconnected;
    await outageDetected();
    await proxy.open();
    await first;
    await eventually(() => isServed(customHost), 'the certificate');
    expect(orders()).toBe(1);
    expect(auto.lines('certificate not issued')).toEqual([]);
  });

  test('when the certificate is issued: it is kept until the store is back, and not ordered again', async () => {
    const disconnected = disconnectAt('/finalize-order/');
    const first = servedName(customHost).catch(() => 'refused');
    await disconnected;
    await eventually(
      () => authority.calls.some((call) => call.startsWith('POST /certZ/')),
      'the certificate',
    );
    await outageDetected();
    await proxy.open();
    await first;
    await eventually(() => isServed(customHost), 'the certificate in a handshake');
    expect(orders()).toBe(1);
    const issued = () => auto.lines('certificate issued').filter(({ host }) => host === customHost).length;
    // The line follows once the certificate is stored.
    await eventually(() => issued() > 0, 'the line of the log');
    expect(issued()).toBe(1);
    expect(auto.app.faults).toEqual([]);
  });

  test('a stop in the middle of an order leaves the order for the next start', async () => {
    const { promise: requested, resolve: onRequest } = Promise.withResolvers<void>();
    const { promise: response, resolve: respond } = Promise.withResolvers<'passed'>();
    authority.outcomeOf = (_, path) => {
      if (!path.startsWith('/authZ/')) return 'passed';
      onRequest();
      return response;
    };
    const first = servedName(customHost).catch(() => 'refused');
    await requested;
    await auto.inner.stop();
    respond('passed');
    expect(await first).toBe('refused');
    await using store = await openReadOnlyStore(databaseUrl, '');
    const [row] = (await store?.query(`select * from certificates where host = '${customHost}'`)) ?? [];
    expect(row).toMatchObject({ claimed_until: null, problem: null, chain: null });
  });
});
