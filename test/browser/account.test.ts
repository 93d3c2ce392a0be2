import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { browserUserAgent, type TestAccount } from '../support/app.ts';
import { accessibilityViolations, signedOutPage } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';
import { browserHeadersOf, invite, member } from '../support/members.ts';
import { proveEmails } from '../support/proven-emails.ts';
import { expectNoBarriers } from './barriers.ts';
import { followLink } from './follow-link.ts';
import { holdBack } from './held-requests.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = dashboardsInOnePage(app);
/** The user of the first account, whose organization runs the service. */
const operator = await app.createAccount();

const password = 'correct horse battery';

async function inviteOn(page: Page, email: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite member' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByLabel('Role').selectOption('Editor');
  await dialog.getByRole('button', { name: 'Invite member' }).click();
  const url = await dialog.locator('code').innerText();
  await dialog.getByRole('button', { name: 'Done' }).click();
  return url;
}

test("the page Organization shows the doctor's findings only to the operator of the service", async () => {
  const { json } = await app.call('GET', '/api/v1/instance/health', { key: operator.key });
  const backup = json.findings.find(({ check }: { check: string }) => check === 'backup');
  const page = await open(operator, '/app/organization');
  const service = page.getByRole('region', { name: 'This service' });
  const rowOf = (name: string) => service.getByRole('listitem').filter({ hasText: name });
  await rowOf('Settings').getByText('All settings can be used.').waitFor();
  expect(await service.getByRole('listitem').count()).toBe(json.findings.length);
  expect(await rowOf('Settings').getByText('Well', { exact: true }).count()).toBe(1);
  for (const text of ['Notice', backup.found, backup.todo])
    await rowOf('Backup').getByText(text, { exact: true }).waitFor();
  const other = await app.createAccount();
  await open(other, '/app/organization');
  await page.getByRole('region', { name: 'Members' }).getByText(other.email).first().waitFor();
  expect(await page.getByText('This service').count()).toBe(0);
});

test('a changed password ends every other session, and a wrong current password changes nothing', async () => {
  const account = await app.createAccount();
  const page = await open(account, '/app/account');
  const otherBrowser = await browserHeadersOf(app, account);
  const section = page.getByRole('region', { name: 'Password' });
  await section.getByLabel('Current password').fill('not this one');
  await section.getByLabel('New password').fill('another long one');
  await section.getByRole('button', { name: 'Change password' }).click();
  await section.getByRole('alert').waitFor();
  await section.getByLabel('Current password').fill(password);
  await section.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed.').waitFor();
  expect((await page.request.get(`${app.url}/api/v1/user`)).status()).toBe(200);
  expect((await app.call('GET', '/api/v1/user', { headers: otherBrowser })).status).toBe(401);
  const signIn = (password: string) =>
    app.call('POST', '/api/v1/session', { body: { email: account.email, password } });
  expect((await signIn(password)).status).toBe(401);
  expect((await signIn('another long one')).status).toBe(201);
});

test('signing out everywhere ends this session and the others', async () => {
  const account = await app.createAccount();
  const page = await open(account, '/app/account');
  const otherBrowser = await browserHeadersOf(app, account);
  await page.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect((await page.request.get(`${app.url}/api/v1/user`)).status()).toBe(401);
  expect((await app.call('GET', '/api/v1/user', { headers: otherBrowser })).status).toBe(401);
  expect((await app.call('GET', '/api/v1/user', { key: account.key })).status).toBe(200);
});

describe('the list of sessions', () => {
  const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0';
  const section = (page: Page) => page.getByRole('region', { name: 'Sessions' });
  const row = (page: Page, name: string | RegExp) => section(page).getByRole('row', { name });
  /** Signs in with another browser, and returns its headers. */
  async function signIn({ email }: TestAccount, userAgent: string) {
    const headers = { 'user-agent': userAgent };
    const answer = await app.call('POST', '/api/v1/session', { body: { email, password }, headers });
    return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', origin: app.url };
  }
  const userStatus = async (headers: Record<string, string>) =>
    (await app.call('GET', '/api/v1/user', { headers })).status;

  test('shows where the user is signed in, and ends a single session', async () => {
    const account = await app.createAccount();
    const otherBrowser = await signIn(account, firefox);
    const page = await open(account, '/app/account');
    const currentSession = row(page, /This one/);
    await currentSession.waitFor();
    expect(await currentSession.innerText()).toMatch(/^Chrome on Linux This one\s.*now/s);
    expect(await currentSession.getByRole('button').count()).toBe(0);
    const otherSession = row(page, /^Firefox on Windows/);
    expect(await otherSession.innerText()).toContain('in the last hour');
    await otherSession.getByRole('button', { name: /^Sign out Firefox on Windows/ }).click();
    await page.getByText('Firefox on Windows is signed out.').waitFor();
    await otherSession.waitFor({ state: 'detached' });
    expect(await userStatus(otherBrowser)).toBe(401);
    expect((await page.request.get(`${app.url}/api/v1/user`)).status()).toBe(200);
    expect(await section(page).getByRole('row').count()).toBe(2);
  });

  test('is refreshed after a password change, and after signing out a session that has already ended', async () => {
    const account = await app.createAccount();
    const otherBrowser = await signIn(account, browserUserAgent);
    await signIn(account, browserUserAgent);
    const page = await open(account, '/app/account');
    const rows = section(page).locator('tbody tr');
    await rows.nth(2).waitFor();
    await app.call('DELETE', '/api/v1/session', { headers: otherBrowser });
    // One of the two sessions has already ended; whichever is signed out first, neither is in the list afterwards.
    for (const index of [2, 1]) {
      await section(page)
        .getByRole('button', { name: /^Sign out Chrome/ })
        .first()
        .click();
      await rows.nth(index).waitFor({ state: 'detached' });
      if ((await rows.count()) === 1) break;
    }
    expect(await rows.count()).toBe(1);
    await signIn(account, browserUserAgent);
    await page.reload();
    await rows.nth(1).waitFor();
    await page.getByLabel('Current password').fill(password);
    await page.getByLabel('New password').fill('another long one');
    await page.getByRole('button', { name: 'Change password' }).click();
    await rows.nth(1).waitFor({ state: 'detached' });
  });

  test('keeps a session that could not be ended, and shows why', async () => {
    const account = await app.createAccount();
    const otherBrowser = await signIn(account, firefox);
    const page = await open(account, '/app/account');
    await page.route('**/api/v1/session/*', (route) => route.abort());
    await section(page)
      .getByRole('button', { name: /^Sign out Firefox/ })
      .click();
    await page.getByRole('alert').getByText("Linnet can't be reached.").waitFor();
    await row(page, /^Firefox on Windows/).waitFor();
    expect(await userStatus(otherBrowser)).toBe(200);
  });
});

test('an invited user signs up on the page of the invitation and becomes a member', async () => {
  const page = await open(await app.createAccount(), '/app/organization');
  const url = await inviteOn(page, 'charles@example.com');
  await page
    .getByRole('region', { name: 'Outstanding invitations' })
    .getByText('charles@example.com', { exact: true })
    .waitFor();
  const guestPage = await signedOutPage(app, new URL(url).pathname);
  await guestPage.getByRole('heading', { name: /^Join / }).waitFor();
  expect(await accessibilityViolations(guestPage)).toEqual([]);
  await guestPage.getByLabel('Your name').fill('Charles');
  await guestPage.getByLabel('Password').fill(password);
  await guestPage.getByRole('button', { name: 'Create account and join' }).click();
  await guestPage.getByRole('navigation', { name: 'Main' }).waitFor();
  await followLink(page, '/app/tags');
  await page.getByRole('heading', { name: 'Tags', level: 1 }).waitFor();
  await followLink(page, '/app/organization');
  await page.getByRole('region', { name: 'Members' }).getByText('Charles', { exact: true }).waitFor();
  await page.getByText('There are no outstanding invitations.').waitFor();
  // An editor sees the members, but can't change them.
  await followLink(guestPage, '/app/organization');
  await guestPage.getByRole('region', { name: 'Members' }).getByText('Charles (you)').waitFor();
  expect(await guestPage.getByRole('button', { name: 'Invite member' }).count()).toBe(0);
  expect(await guestPage.getByRole('switch').count()).toBe(0);
  // The same link doesn't work again.
  await guestPage.goto(url.replace(/^https?:\/\/[^/]+/, app.url));
  await guestPage.getByRole('heading', { name: 'This invitation is not open' }).waitFor();
});

test('a user with an account accepts or declines an invitation on the page of the account', async () => {
  const administrator = await app.createAccount('boss@example.com');
  const guest = await app.createAccount('guest@example.com');
  await proveEmails(app);
  await invite(app, administrator.key, guest.email);
  const guestPage = await open(guest, '/app/account');
  await guestPage.getByRole('button', { name: 'Decline' }).click();
  await guestPage.getByText('declined').waitFor();
  const outstanding = await app.call('GET', '/api/v1/invitation', { key: administrator.key });
  expect(outstanding.json).toEqual([]);
  await invite(app, administrator.key, guest.email, 'administrator');
  await guestPage.reload();
  await guestPage.getByRole('button', { name: 'Accept invitation' }).waitFor();
  expect(await accessibilityViolations(guestPage)).toEqual([]);
  await guestPage.getByRole('button', { name: 'Accept invitation' }).click();
  await guestPage.getByText('You are now a member of').waitFor();
  const members = await app.call('GET', '/api/v1/member', { key: administrator.key });
  expect(members.json.map(({ email }: { email: string }) => email).sort()).toEqual([
    administrator.email,
    guest.email,
  ]);
});

test('an administrator changes a role and removes a member, but never the last administrator', async () => {
  const administrator = await app.createAccount();
  await member(app, administrator, 'editor', 'second@example.com');
  const page = await open(administrator, '/app/organization');
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

test('the pages of an organization without invitations and domains pass the accessibility check (with them: accessibility.test.ts)', async () => {
  const page = await open(await app.createAccount(), '/app/organization');
  await page.getByText('There are no outstanding invitations.').waitFor();
  await expectNoBarriers(page);
  await followLink(page, '/app/domains');
  await page.getByRole('heading', { name: 'Domains', level: 1 }).waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await expectNoBarriers(page);
});

test('a name that is typed while another is being saved stays', async () => {
  const page = await open(await app.createAccount(), '/app/organization');
  const name = page.getByLabel("The organization's name");
  const { arrived, release } = await holdBack(page, '**/api/v1/organization', { method: 'PATCH' });
  await name.fill('First');
  await page.getByRole('button', { name: 'Save name' }).click();
  await arrived;
  await name.fill('Second');
  release();
  await page.getByText('Name saved.').waitFor();
  expect(await name.inputValue()).toBe('Second');
});

test('a name that another window has saved is shown, and is no change to save', async () => {
  const owner = await app.createAccount();
  const page = await open(owner, '/app/organization');
  const name = page.getByLabel("The organization's name");
  await name.waitFor();
  await app.call('PATCH', '/api/v1/organization', { key: owner.key, body: { name: 'Saved elsewhere' } });
  // Opening a page again within a fifth of a second loads nothing.
  await eventually(async () => {
    await followLink(page, '/app/tags');
    await followLink(page, '/app/organization');
    return (await name.inputValue()) === 'Saved elsewhere';
  }, 'the new name is shown');
  expect(await page.getByRole('button', { name: 'Save name' }).isDisabled()).toBe(true);
});

test('scripts in names never run', async () => {
  const payload = `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
  const owner = await app.createAccount();
  const page = await open(owner, '/app/account');
  await app.call('PATCH', '/api/v1/organization', { key: owner.key, body: { name: payload } });
  await page.getByLabel('Your name').fill(payload);
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Name saved.').waitFor();
  await page.goto(`${app.url}/app/organization`);
  await page.getByRole('region', { name: 'Members' }).getByText('onerror').first().waitFor();
  expect(await page.title()).toBe('Organization · Linnet');
});

test('an address whose domain has letters beyond ASCII, which some browsers send in another form, signs in', async () => {
  const account = await app.createAccount('grace@exämple.com');
  const page = await signedOutPage(app, '/app');
  await page.getByLabel('Email').fill(account.email);
  await page.getByLabel('Password').fill(account.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.goto(`${app.url}/app/account`);
  await page.getByText('grace@exämple.com').first().waitFor();
});
