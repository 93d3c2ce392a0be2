import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../test/support/eventually.ts';
import { migratedSqlite } from '../../test/support/migrated-store.ts';
import { authorityIn } from '../../test/support/openssl-authority.ts';
import { Secrets } from '../auth/secrets.ts';
import { dayLength } from '../rules/durations.ts';
import { requestCertificate, updateCertificate } from '../storage/certificates.ts';
import type { Database } from '../storage/database.ts';
import { openDatabase } from '../storage/open.ts';
import { Log } from '../telemetry/log.ts';
import { Issuer } from './issuer.ts';

const host = 'links.example.com';
const now = Date.now();
const secrets = new Secrets('A'.repeat(64));

let folder: string;
let database: Database;
let chain: string;
const faults: string[] = [];
beforeAll(async () => {
  const certificates = await mkdtemp(join(tmpdir(), 'linnet-certificates-'));
  chain = await Bun.file(authorityIn(certificates, host).certificate).text();
  await rm(certificates, { recursive: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'linnet-issuer-'));
  await migratedSqlite(folder);
  database = await openDatabase(null, folder, () => {});
  await database.write((queries) => requestCertificate(queries, host, now));
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
  faults.length = 0;
});

/** An authority that refuses every account. */
const authority = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch({ url }) {
    const headers = { 'replay-nonce': crypto.randomUUID() };
    const { pathname } = new URL(url);
    const at = (path: string) => new URL(path, url).href;
    if (pathname === '/dir')
      return Response.json({
        newNonce: at('/nonce'),
        newAccount: at('/account'),
        newOrder: at('/order'),
        renewalInfo: at('/renewal'),
      });
    if (pathname !== '/account') return new Response(null, { headers });
    const problem = { type: 'urn:ietf:params:acme:error:externalAccountRequired', detail: 'none given' };
    return Response.json(problem, { status: 403, headers });
  },
});
afterAll(() => authority.stop(true));

const issuerOn = (store: Database): Issuer =>
  new Issuer({
    database: store,
    secrets,
    settings: { url: `${authority.url}dir`, email: null, externalAccount: null, trusted: null },
    ownHost: host,
    hasHttpPort: true,
    now: () => now,
    random: () => 0,
    log: new Log('error', (line) => void faults.push(line)),
    changed: () => {},
  });

const row = () => database.read.selectFrom('certificates').selectAll().executeTakeFirstOrThrow();

/** Works once on a certificate that is to be renewed at `renewAt`. */
async function checkRenewal(renewAt: number) {
  const stored = { chain, sealed_key: secrets.seal('key'), not_after: now + 20 * dayLength };
  await database.write((queries) =>
    updateCertificate(queries, host, { ...stored, renew_at: renewAt, next_at: now }),
  );
  const issuer = issuerOn(database);
  await issuer.work();
  const isChecked = async () => faults.length > 0 || (await row()).claimed_until === null;
  await eventually(isChecked, 'the end of the check');
  await issuer.stop();
  expect(faults).toEqual([]);
  return row();
}

test('a renewal that the authority refuses an account for is stored as failed', async () => {
  const { failures, problem, problem_detail, next_at } = await checkRenewal(now - dayLength);
  expect({ failures, problem, problem_detail }).toEqual({
    failures: 1,
    problem: 'account',
    problem_detail: 'none given',
  });
  expect(next_at).toBeGreaterThan(now);
});

test('without an account, a certificate that is not due is checked again a day later', async () => {
  const renewAt = now + 10 * dayLength;
  const { failures, problem, renew_at, next_at } = await checkRenewal(renewAt);
  expect({ failures, problem, renew_at, next_at }).toEqual({
    failures: 0,
    problem: null,
    renew_at: renewAt,
    next_at: now + dayLength,
  });
});

/** Stops an issuer during the nth of its writes, which ends afterwards. Returns the number of writes, and the row after the stop. */
async function stopDuringWrite(nth: number) {
  const { promise: reached, resolve: onReached } = Promise.withResolvers<void>();
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
  let writes = 0;
  const write: Database['write'] = async (...work) => {
    const isHeld = ++writes === nth;
    const result = await database.write(...work);
    if (isHeld) {
      onReached();
      await allowed;
    }
    return result;
  };
  const issuer = issuerOn({ ...database, write });
  const working = issuer.work();
  await reached;
  const stopped = issuer.stop().then(row);
  await Bun.sleep(20);
  allow();
  const stored = await stopped;
  await working;
  return { writes, stored };
}

test('a stop while certificates are claimed waits until they are released', async () => {
  const { stored } = await stopDuringWrite(2);
  expect(stored).toMatchObject({ claimed_until: null, next_at: now, failures: 0, problem: null });
});

test('after a stop no certificate is claimed', async () => {
  const { writes, stored } = await stopDuringWrite(1);
  expect([writes, stored.claimed_until]).toEqual([1, null]);
});
