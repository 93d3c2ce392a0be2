import { afterAll, beforeAll, beforeEach, expect } from 'bun:test';
import { type StoreKind, startApp, type TestAccount, type TestApp, type TestResponse } from './app.ts';
import { pollUntil } from './eventually.ts';
import { type NameServer, type Names, startNameServer, zoneOf } from './name-server.ts';
import { visitRaw } from './raw-http.ts';

export const ownHost = 'links.example.com';
const initialRecords = { [ownHost]: { A: ['192.0.2.1'], AAAA: ['2001:db8::1'] } } as const;

interface DomainSuite {
  dns: NameServer;
  app: TestApp;
  /** A new account for each test. */
  owner: TestAccount;
  /** Another organization, the same for all tests. */
  other: TestAccount;
}

/** Inside `describe`: an app that queries its own name server, with accounts that claim domains. */
export function domainSuite(store: StoreKind, env: Record<string, string> = {}) {
  const names: Names = {};
  const suite = {} as DomainSuite;

  beforeAll(async () => {
    suite.dns = await startNameServer(zoneOf(names));
    suite.app = await startApp({
      store,
      env: { BASE_URL: `https://${ownHost}`, DNS_SERVERS: suite.dns.address, ...env },
      overrides: { domainInterval: 20 },
    });
    suite.other = await suite.app.createAccount();
  });
  beforeEach(async () => {
    for (const name of Object.keys(names)) delete names[name];
    Object.assign(names, initialRecords);
    suite.owner = await suite.app.createAccount();
  });
  afterAll(async () => {
    await suite.app.stop();
    await suite.dns.stop();
    expect(suite.app.faults).toEqual([]);
  });

  const add = (domain: unknown, { key }: TestAccount = suite.owner): Promise<TestResponse> =>
    suite.app.call('POST', '/api/v1/domain', { key, body: { domain } });
  const read = async (id: number, { key }: TestAccount = suite.owner) =>
    (await suite.app.call('GET', `/api/v1/domain/${id}`, { key })).json;
  const verify = (id: number, { key }: TestAccount = suite.owner): Promise<TestResponse> =>
    suite.app.call('POST', `/api/v1/domain/${id}/verify`, { key });
  const remove = (id: number, query = '', { key }: TestAccount = suite.owner): Promise<TestResponse> =>
    suite.app.call('DELETE', `/api/v1/domain/${id}${query}`, { key });
  const link = (domain: string, suffix: string, { key }: TestAccount = suite.owner): Promise<TestResponse> =>
    suite.app.call('POST', '/api/v1/link?disable_png=true', {
      key,
      body: { destination_url: 'https://destination.example/', domain, suffix },
    });
  const visit = (host: string, path: string) => visitRaw(suite.app.url, { host, path });

  /** Publishes the TXT record that the answer asks for. */
  function publishProof({ json }: TestResponse): void {
    const record = json.records.find(({ purpose }: { purpose: string }) => purpose === 'proof');
    names[record.name] = { TXT: ['v=something else', record.value] };
  }
  async function addVerifiedDomain(domain: string, account: TestAccount = suite.owner): Promise<number> {
    const added = await add(domain, account);
    await waitForLookup(added, account);
    publishProof(added);
    const { json } = await verify(added.json.id, account);
    expect([domain, json.state]).toEqual([domain, 'verified']);
    return added.json.id;
  }
  /** Waits for the lookup that adding a domain triggers, so that none is in flight when the test moves the clock. */
  const waitForLookup = ({ json }: TestResponse, account: TestAccount = suite.owner) =>
    waitUntil(json.id, ({ checked_at }) => checked_at !== null, account);
  const waitForState = (id: number, awaited: string) => waitUntil(id, ({ state }) => state === awaited);
  /** Waits for the lookup that is due now. */
  const waitForCheck = (id: number) =>
    waitUntil(id, ({ checked_at }) => checked_at === new Date(suite.app.clock.now).toISOString());
  const waitUntil = (
    id: number,
    isDone: (domain: TestResponse['json']) => boolean,
    account: TestAccount = suite.owner,
  ) => pollUntil(() => read(id, account), isDone, 'the background job to finish');

  return {
    suite,
    names,
    add,
    read,
    verify,
    remove,
    link,
    visit,
    publishProof,
    addVerifiedDomain,
    waitForLookup,
    waitForState,
    waitForCheck,
  };
}
