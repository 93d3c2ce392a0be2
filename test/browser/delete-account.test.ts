import { expect, test } from 'bun:test';
import { accessibilityViolations, dashboardOf } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { member } from '../support/members.ts';

const app = await appOfSuite();
/** Its organization runs the service. */
const operator = await app.createAccount();

test('an account is deleted with its organization, as the dialog describes, only with the right password', async () => {
  const account = await app.createAccount();
  const body = { destination_url: 'https://example.com/' };
  await app.call('POST', '/api/v1/link', { key: account.key, body });
  const page = await dashboardOf(app, account, '/app/account');
  await page.getByRole('region', { name: 'Delete account' }).getByRole('button').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('its 1 link, clicks, tags, domains and webhooks').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByLabel('Your password').fill('not this one');
  await dialog.getByRole('button', { name: 'Delete account and organization' }).click();
  await dialog.getByText('This is not your current password.').waitFor();
  await dialog.getByLabel('Your password').fill(account.password);
  await dialog.getByRole('button', { name: 'Delete account and organization' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect((await app.call('GET', '/api/v1/user', { key: account.key })).status).toBe(401);
});

test('the only administrator must first name another one, and the dialog of another member says that links stay', async () => {
  const owner = await app.createAccount();
  const otherMember = await member(app, owner);
  const page = await dashboardOf(app, owner, '/app/account');
  const section = page.getByRole('region', { name: 'Delete account' });
  await section.getByText('Make another member administrator').waitFor();
  expect(await section.getByRole('button').count()).toBe(0);
  const { email, password } = otherMember;
  await page.request.post(`${app.url}/api/v1/session`, { data: { email, password } });
  await page.reload();
  await section.getByRole('button').click();
  await page.getByRole('dialog').getByText('Links that you created stay').waitFor();
  await page.getByLabel('Your password').fill(password);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a user who has become the only member meanwhile is told that the organization is deleted too, and is asked again', async () => {
  const owner = await app.createAccount();
  const otherMember = await member(app, owner, 'administrator');
  const page = await dashboardOf(app, owner, '/app/account');
  await page.getByRole('region', { name: 'Delete account' }).getByRole('button').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Links that you created stay').waitFor();
  const body = { password: otherMember.password };
  expect((await app.call('DELETE', '/api/v1/user', { key: otherMember.key, body })).status).toBe(204);
  await dialog.getByLabel('Your password').fill(owner.password);
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await dialog.getByRole('alert').getByText('you are the only member of your organization now').waitFor();
  await dialog.getByText('so it is deleted too: what it has').waitFor();
  await dialog.getByRole('button', { name: 'Delete account and organization' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('the only member of the organization that runs the service is told to invite somebody first', async () => {
  const page = await dashboardOf(app, operator, '/app/account');
  await page.getByRole('region', { name: 'Delete account' }).getByRole('button').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill(operator.password);
  await dialog.getByRole('button', { name: 'Delete account and organization' }).click();
  await dialog.getByRole('alert').getByText('Invite somebody who takes').waitFor();
  expect((await app.call('GET', '/api/v1/user', { key: operator.key })).status).toBe(200);
});
