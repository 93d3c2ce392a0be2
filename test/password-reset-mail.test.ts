import { describe, expect, spyOn, test } from 'bun:test';
import { hourLength } from '../src/rules/durations.ts';
import { Log } from '../src/telemetry/log.ts';
import { startApp } from './support/app.ts';
import { startMailServer } from './support/mail-server.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { comparable, requestReset, resetPassword } from './support/password-reset.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

describe('the password mail', () => {
  /** A slow mail server: it continues only once it is released. */
  async function startSlowMail(env: Record<string, string> = {}) {
    const reached = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const server = await startMailServer({
      onMailFrom: (_, __, done) => {
        reached.resolve();
        void release.promise.then(() => done());
      },
    });
    const app = await startApp({ env: { SMTP_URL: `smtp://127.0.0.1:${server.port}`, ...env } });
    const { email } = await app.createAccount();
    return { server, app, email, reached: reached.promise, release: release.resolve };
  }

  test('is sent after the response, so that its timing reveals nothing', async () => {
    const { server, app, email, reached, release } = await startSlowMail();
    expect((await requestReset(app, email)).status).toBe(202);
    await reached;
    expect((await requestReset(app, 'nobody@example.com')).status).toBe(202);
    expect(server.mails).toHaveLength(0);
    release();
    await app.app.context.backgroundTasks.finish();
    // If the response had waited for the mail server, the mail would have failed by now.
    expect(server.mails).toHaveLength(1);
    await app.stop();
    await server[Symbol.asyncDispose]();
  });

  test('is still sent when the service stops', async () => {
    const { server, app, email, reached, release } = await startSlowMail();
    expect((await requestReset(app, email)).status).toBe(202);
    await reached;
    const { backgroundTasks } = app.app.context;
    const finish = backgroundTasks.finish.bind(backgroundTasks);
    spyOn(backgroundTasks, 'finish').mockImplementation(() => {
      release();
      return finish();
    });
    await app.stop();
    expect(server.mails).toHaveLength(1);
    expect(app.faults).toEqual([]);
    await server[Symbol.asyncDispose]();
  });

  test('is limited: while 32 are being sent, a further request gets 503', async () => {
    const { server, app, release } = await startSlowMail({ TRUSTED_PROXIES: '1' });
    const createAccounts = (count: number) =>
      Promise.all(Array.from({ length: count }, () => app.createAccount()));
    const first = await createAccounts(20);
    // One network may create this many accounts in two hours, but not in one.
    app.clock.now += hourLength;
    const accounts = [...first, ...(await createAccounts(13))];
    const statuses: number[] = [];
    for (const { email } of accounts) statuses.push((await requestReset(app, email)).status);
    expect(statuses).toEqual([...Array(32).fill(202), 503]);
    release();
    await app.app.context.backgroundTasks.finish();
    expect((await requestReset(app, accounts[32]?.email ?? '')).status).toBe(202);
    await app.stop();
    expect(server.mails).toHaveLength(33);
    await server[Symbol.asyncDispose]();
  });
});

test('while the database is unavailable requests are refused; if that begins while a mail is sent, it is logged, and the link in the mail is valid', async () => {
  const proxy = new TcpProxy(await migratedPostgres());
  await proxy.open();
  const release = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const server = await startMailServer({
    onMailFrom: (_, __, done) => {
      reached.resolve();
      void release.promise.then(() => done());
    },
  });
  const lines: string[] = [];
  const app = await startApp({
    env: { DATABASE_URL: proxy.url, SMTP_URL: `smtp://127.0.0.1:${server.port}` },
    overrides: { log: new Log('info', (line) => lines.push(line)) },
  });
  const { email } = await app.createAccount();
  expect((await requestReset(app, email)).status).toBe(202);
  await reached.promise;
  await proxy.close();
  const refused = await requestReset(app, email);
  expect([refused.status, refused.json.error_code]).toEqual([503, 'STORE_AWAY']);
  release.resolve();
  await app.app.context.backgroundTasks.finish();
  expect(lines.filter((line) => line.includes('mail not sent'))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  await proxy.open();
  const token = /lnp_\w+/.exec(server.mails[0]?.parts['text/plain'] ?? '')?.[0];
  expect((await resetPassword(app, token)).status).toBe(204);
  await app.stop();
  await proxy.close();
  await server[Symbol.asyncDispose]();
});

test('without a mail server the response has the command for an administrator, whether the account exists or not', async () => {
  const app = await startApp();
  const { email } = await app.createAccount();
  const known = await requestReset(app, email);
  expect([known.status, known.json.error_code]).toEqual([409, 'MAIL_MISSING']);
  expect(known.json.error_string).toContain('npm run -s linnet -- user password --email');
  expect(comparable(await requestReset(app, 'nobody@example.com'))).toEqual(comparable(known));
  expect((await app.call('GET', '/api/v1/setup')).json.mail).toBe(false);
  await app.stop();
});
