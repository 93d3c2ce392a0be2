import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openReadOnlyStore } from '../src/backup/read-only-store.ts';
import {
  type Authority,
  type AutoApp,
  type CallOutcome,
  hasPebble,
  startAuthority,
  startAutoApp,
} from './support/acme.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { TcpProxy } from './support/tcp-proxy.ts';
import { secureSocket } from './support/tls-app.ts';

const own = 'links.example.com';
const custom = 'go.example.org';
const visitor = { localAddress: '127.0.0.2' };

describe.skipIf(!hasPebble)('the store goes away during an order', () => {
  let authority: Authority;
  let auto: AutoApp;
  let wire: TcpProxy;
  let databaseUrl: string;
  beforeEach(async () => {
    databaseUrl = await migratedPostgres();
    wire = new TcpProxy(databaseUrl);
    await wire.open();
    authority = await startAuthority();
    for (const host of [own, custom]) authority.names[host] = { A: ['127.0.0.1'] };
    auto = await startAutoApp(authority, { env: { DATABASE_URL: wire.url } });
    expect(await nameShown(own)).toBe(`DNS:${own}`);
    await auto.inner.context.database.write(async (queries) => {
      await queries.insertInto('organizations').values({ id: 1, created_at: 1, name: 'one' }).execute();
      const domain = { created_at: 1, organization_id: 1, host: custom, verified_at: 1 };
      await queries.insertInto('domains').values(domain).execute();
    });
    authority.calls.length = 0;
  });
  afterEach(async () => {
    await auto[Symbol.asyncDispose]();
    await authority[Symbol.asyncDispose]();
    await wire.close();
  });

  async function nameShown(servername: string): Promise<string | undefined> {
    const socket = await secureSocket(auto.app, { servername, ...visitor });
    const { subjectaltname } = socket.getPeerCertificate();
    socket.destroy();
    return subjectaltname;
  }
  const isShown = (host: string) =>
    nameShown(host).then(
      (name) => name === `DNS:${host}`,
      () => false,
    );
  const orders = () => authority.calls.filter((call) => call === 'POST /order-plz').length;
  /** Cuts the database connection when the authority is first asked for this path, before it answers. */
  function cutAt(path: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isCut = false;
    authority.outcomeOf = async (_, asked): Promise<CallOutcome> => {
      if (!isCut && asked.startsWith(path)) {
        isCut = true;
        await wire.close();
        resolve();
      }
      return 'passed';
    };
    return promise;
  }
  const wasAway = () => eventually(() => auto.lines('change feed away').length > 0, 'the store to be missed');

  test('during the validation: the challenge is stored once the store is back, and the order continues', async () => {
    const cut = cutAt('/authZ/');
    const first = nameShown(custom).catch(() => 'refused');
    await cut;
    await wasAway();
    await wire.open();
    await first;
    await eventually(() => isShown(custom), 'the certificate');
    expect(orders()).toBe(1);
    expect(auto.lines('certificate not issued')).toEqual([]);
  });

  test('when the certificate is issued: it is kept until the store is back, and not ordered again', async () => {
    const cut = cutAt('/finalize-order/');
    const first = nameShown(custom).catch(() => 'refused');
    await cut;
    await eventually(
      () => authority.calls.some((call) => call.startsWith('POST /certZ/')),
      'the certificate',
    );
    await wasAway();
    await wire.open();
    await first;
    await eventually(() => isShown(custom), 'the certificate in a handshake');
    expect(orders()).toBe(1);
    expect(auto.lines('certificate issued').filter(({ host }) => host === custom)).toHaveLength(1);
    expect(auto.app.faults).toEqual([]);
  });

  test('a stop in the middle of an order leaves the name to the next start', async () => {
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
    const { promise: held, resolve: letGo } = Promise.withResolvers<'passed'>();
    authority.outcomeOf = (_, path) => {
      if (!path.startsWith('/authZ/')) return 'passed';
      isAsked();
      return held;
    };
    const first = nameShown(custom).catch(() => 'refused');
    await asked;
    await auto.inner.stop();
    letGo('passed');
    expect(await first).toBe('refused');
    const store = await openReadOnlyStore(databaseUrl, '');
    const [row] = (await store?.ask(`select * from certificates where host = '${custom}'`)) ?? [];
    await store?.close();
    expect(row).toMatchObject({ claimed_until: null, problem: null, chain: null });
  });
});
