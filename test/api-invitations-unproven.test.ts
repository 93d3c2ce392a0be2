import { expect, test } from 'bun:test';
import { startApp, type TestAccount } from './support/app.ts';
import { invite, member } from './support/members.ts';
import { proveEmails } from './support/proven-emails.ts';

test.each([
  ['with mails', { SMTP_URL: 'smtp://127.0.0.1:1' }, 'the mail that was sent to boss@example.com'],
  ['without mails', {}, 'the link of the invitation'],
])('%s, an unproven address needs the link of the invitation', async (_, env, where) => {
  const app = await startApp({ env });
  const host = await app.createAccount();
  const squatter = await app.createAccount('boss@example.com');
  const { id, token } = (await invite(app, host.key, squatter.email)).json;
  expect((await app.call('GET', '/api/v1/user/invitations', { key: squatter.key })).json).toEqual([]);
  for (const answer of ['accept', 'decline']) {
    const { status, json } = await app.call('POST', `/api/v1/user/invitations/${id}/${answer}`, {
      key: squatter.key,
    });
    expect([status, json.error_code]).toEqual([403, 'EMAIL_UNPROVEN']);
    expect(json.error_string).toContain(where);
  }
  const byLink = await app.call('POST', '/api/v1/invitation/accept', {
    key: squatter.key,
    body: { token },
  });
  expect(byLink.status).toBe(200);

  // The inviting user has the link too, so using it proves nothing about the mailbox.
  const mallory = await app.createAccount();
  const squatted = await member(app, mallory);
  const next = (await invite(app, host.key, squatted.email, 'administrator')).json;
  const taken = await app.call('POST', `/api/v1/user/invitations/${next.id}/accept`, { key: squatted.key });
  expect([taken.status, taken.json.error_code]).toEqual([403, 'EMAIL_UNPROVEN']);
  await app.stop();
});

test('a deleted account withdraws the invitations to its address only if that is proven', async () => {
  const app = await startApp();
  const host = await app.createAccount();
  const squatter = await app.createAccount('boss@example.com');
  await invite(app, host.key, squatter.email);
  const remove = ({ key, password }: TestAccount) =>
    app.call('DELETE', '/api/v1/user', { key, body: { password, confirm: 'delete_organization' } });
  const invited = async () =>
    (await app.call('GET', '/api/v1/invitation', { key: host.key })).json.map(
      ({ email }: { email: string }) => email,
    );
  expect((await remove(squatter)).status).toBe(204);
  expect(await invited()).toEqual([squatter.email]);

  const boss = await app.createAccount(squatter.email);
  await proveEmails(app);
  expect((await remove(boss)).status).toBe(204);
  expect(await invited()).toEqual([]);
  await app.stop();
});
