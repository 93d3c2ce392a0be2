import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import { barriersOn, closeBrowser, dashboardOf, freshContext } from '../support/browser.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await closeBrowser();
  await app.stop();
});

const password = 'correct horse battery';

async function invite(page: Page, email: string, role = 'Editor'): Promise<string> {
  await page.getByRole('button', { name: 'Invite member' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByLabel('Role').selectOption(role);
  await dialog.getByRole('button', { name: 'Invite member' }).click();
  const url = await dialog.locator('code').innerText();
  await dialog.getByRole('button', { name: 'Done' }).click();
  return url;
}

test('an API key is made, shown once, used, deleted and then refused', async () => {
  const page = await dashboardOf(app, await app.newcomer(), '/app/account');
  const section = page.getByRole('region', { name: 'API Keys' });
  await section.getByRole('button', { name: 'Add API Key' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Newsletter script');
  await page.getByRole('button', { name: 'Create API Key' }).click();
  const key = await page.getByRole('dialog').locator('code').innerText();
  expect((await app.call('GET', '/api/v1/link', { key })).status).toBe(200);
  await page.getByRole('button', { name: 'Done' }).click();
  const row = section.getByRole('row', { name: /Newsletter script/ });
  await row.waitFor();
  expect(await page.content()).not.toContain(key);
  await page.reload();
  await row.getByText('just now').waitFor();
  await row.getByRole('button', { name: 'Delete API key Newsletter script' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete API key' }).click();
  await row.waitFor({ state: 'detached' });
  expect((await app.call('GET', '/api/v1/link', { key })).status).toBe(401);
});

test('a changed password ends every other session, and a wrong one changes nothing', async () => {
  const who = await app.newcomer();
  const page = await dashboardOf(app, who, '/app/account');
  const other = await dashboardOf(app, who, '/app/tags');
  const section = page.getByRole('region', { name: 'Password' });
  await section.getByLabel('Current password').fill('not this one');
  await section.getByLabel('New password').fill('another long one');
  await section.getByRole('button', { name: 'Change password' }).click();
  await section.getByRole('alert').waitFor();
  await section.getByLabel('Current password').fill(password);
  await section.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed.').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'My account' }).waitFor();
  await other.reload();
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('signing out everywhere ends this session and the others', async () => {
  const who = await app.newcomer();
  const page = await dashboardOf(app, who, '/app/account');
  const other = await dashboardOf(app, who, '/app/tags');
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await other.reload();
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect((await app.call('GET', '/api/v1/user', { key: who.key })).status).toBe(200);
});

test('whoever is invited signs up on a page of their own and becomes a member', async () => {
  const page = await dashboardOf(app, await app.newcomer(), '/app/organization');
  const url = await invite(page, 'charles@example.com');
  await page
    .getByRole('region', { name: 'Outstanding invitations' })
    .getByText('charles@example.com', { exact: true })
    .waitFor();
  const guest = await (await freshContext()).newPage();
  await guest.goto(url.replace(/^https?:\/\/[^/]+/, app.url));
  await guest.getByRole('heading', { name: /^Join / }).waitFor();
  expect(await barriersOn(guest)).toEqual([]);
  await guest.getByLabel('Your name').fill('Charles');
  await guest.getByLabel('Password').fill(password);
  await guest.getByRole('button', { name: 'Create account and join' }).click();
  await guest.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.reload();
  await page.getByRole('region', { name: 'Members' }).getByText('Charles', { exact: true }).waitFor();
  await page.getByText('Nobody who was invited is still to answer.').waitFor();
  // An editor sees who is a member, and decides nothing about it.
  await guest.goto(`${app.url}/app/organization`);
  await guest.getByRole('region', { name: 'Members' }).getByText('Charles (you)').waitFor();
  expect(await guest.getByRole('button', { name: 'Invite member' }).count()).toBe(0);
  expect(await guest.getByRole('switch').count()).toBe(0);
  // The same link again is good for nothing.
  await guest.goto(url.replace(/^https?:\/\/[^/]+/, app.url));
  await guest.getByRole('heading', { name: 'This invitation is not open' }).waitFor();
});

test('whoever has an account accepts or declines from their own page', async () => {
  const administrator = await app.newcomer('boss@example.com');
  const guest = await app.newcomer('guest@example.com');
  const page = await dashboardOf(app, administrator, '/app/organization');
  await invite(page, guest.email);
  const theirs = await dashboardOf(app, guest, '/app/account');
  await theirs.getByRole('button', { name: 'Decline' }).click();
  await theirs.getByText('declined').waitFor();
  await page.reload();
  await page.getByText('Nobody who was invited is still to answer.').waitFor();
  await invite(page, guest.email, 'Administrator');
  await theirs.reload();
  await theirs.getByRole('button', { name: 'Accept invitation' }).waitFor();
  expect(await barriersOn(theirs)).toEqual([]);
  await theirs.getByRole('button', { name: 'Accept invitation' }).click();
  await theirs.getByText('You are now a member of').waitFor();
  const members = await app.call('GET', '/api/v1/member', { key: administrator.key });
  expect(members.json.map(({ email }: { email: string }) => email).sort()).toEqual([
    administrator.email,
    guest.email,
  ]);
});

test('an administrator changes a role and removes a member, and never the last administrator', async () => {
  const administrator = await app.newcomer();
  const page = await dashboardOf(app, administrator, '/app/organization');
  const invitation = await app.call('POST', '/api/v1/invitation', {
    key: administrator.key,
    body: { email: 'second@example.com', role: 'editor' },
  });
  await app.call('POST', '/api/v1/user', {
    body: { email: 'second@example.com', password, invitation_token: invitation.json.token },
  });
  await page.reload();
  await page.getByLabel(`Role of ${administrator.email}`).selectOption('Editor');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Role of second@example.com').selectOption('Administrator');
  await page.getByText('second@example.com is now an administrator.').waitFor();
  await page.getByRole('button', { name: 'Remove second@example.com' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove member' }).click();
  await page.getByText('second@example.com is no longer a member.').waitFor();
  const members = await app.call('GET', '/api/v1/member', { key: administrator.key });
  expect(members.json).toHaveLength(1);
});

test.each(['/app/account', '/app/organization', '/app/domains', '/app/elsewhere'])(
  '%s has no barriers, light, dark and on a phone',
  async (path) => {
    const page = await dashboardOf(app, await app.newcomer(), path);
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1280, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 844 });
        expect(await barriersOn(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }
    }
  },
);

test('script in names runs nowhere', async () => {
  const payload = `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
  const who = await app.newcomer();
  const page = await dashboardOf(app, who, '/app/account');
  await app.call('PATCH', '/api/v1/organization', { key: who.key, body: { name: payload } });
  await page.getByLabel('Your name').fill(payload);
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Name saved.').waitFor();
  await page.goto(`${app.url}/app/organization`);
  await page.getByRole('region', { name: 'Members' }).getByText('onerror').first().waitFor();
  expect(await page.title()).toBe('Organization · Linnet');
});
