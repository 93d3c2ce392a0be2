import { afterAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startApp } from '../support/app.ts';
import { accessibilityViolations, dashboardOf, signedOutPage } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { startMailServer } from '../support/mail-server.ts';
import { expectNoBarriers } from './barriers.ts';
import { loseFirstAnswer } from './held-requests.ts';

const mailServer = await startMailServer();
const app = await appOfSuite({ env: { SMTP_URL: `smtp://127.0.0.1:${mailServer.port}` } });
afterAll(() => mailServer[Symbol.asyncDispose]());
await app.createAccount();

const newPassword = 'a brand new password';

const openSignedOut = (path: string, service = app) => signedOutPage(service, path);

async function requestLink(page: Page, email: string) {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.getByText(`If there is an account of ${email},`).waitFor();
}

/** The link in the latest mail. */
async function mailedLink(): Promise<string> {
  await app.app.context.backgroundTasks.finish();
  return /http\S+\/app\/reset\/\w+/.exec(mailServer.mails.at(-1)?.parts['text/plain'] ?? '')?.[0] ?? '';
}

async function resetLinkFor(email: string): Promise<string> {
  await app.call('POST', '/api/v1/user/forgot_password', { body: { email } });
  return mailedLink();
}

async function expectToSignIn(email: string) {
  const signedIn = await app.call('POST', '/api/v1/session', { body: { email, password: newPassword } });
  expect(signedIn.status).toBe(201);
}

test('a user who forgot their password sets a new one with the link in the mail, and the link works once', async () => {
  const { email } = await app.createAccount();
  const page = await openSignedOut('/app');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.waitForURL('**/app/forgot');
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  await expectNoBarriers(page);
  await requestLink(page, email);
  await expectNoBarriers(page);

  const link = await mailedLink();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
  await expectNoBarriers(page);
  await page.getByLabel('New password').fill(newPassword);
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByText('Password changed.').waitFor();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(newPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();

  // In another browser.
  await page.context().clearCookies();
  await page.goto(link);
  await page.getByLabel('New password').fill(newPassword);
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await expectNoBarriers(page);
  await page.getByRole('link', { name: 'Ask for a new link' }).click();
  await requestLink(page, email);
  await page.getByRole('button', { name: 'Send another link' }).click();
  expect(await page.getByLabel('Email').inputValue()).toBe(email);
  await page.getByRole('link', { name: 'Back to sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a user who forgot their password when their session has ended sets a new one in another tab, and what they typed stays', async () => {
  const account = await app.createAccount();
  const page = await dashboardOf(app, account, '/app/tags');
  await page.getByLabel('New tag').fill('Typed before');
  await page.context().clearCookies();
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await expectNoBarriers(page);
  const opened = page.waitForEvent('popup');
  await dialog.getByRole('link', { name: 'Forgot your password?' }).click();
  const tab = await opened;
  await requestLink(tab, account.email);
  await tab.goto(await mailedLink());
  await tab.getByLabel('New password').fill(newPassword);
  await tab.getByRole('button', { name: 'Set new password' }).click();
  await tab.getByText('Password changed.').waitFor();
  await dialog.getByLabel('Password').fill(newPassword);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.getByLabel('New tag').inputValue()).toBe('Typed before');
});

test('an address without an account gets the same response, and no mail is sent', async () => {
  const page = await openSignedOut('/app/forgot');
  const before = mailServer.mails.length;
  await requestLink(page, 'nobody@example.com');
  await app.app.context.backgroundTasks.finish();
  expect(mailServer.mails).toHaveLength(before);
});

test('a new password is set by keyboard alone', async () => {
  const { email } = await app.createAccount();
  const page = await openSignedOut('/app/forgot');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.goto(await mailedLink());
  await page.locator('input:focus').waitFor();
  await page.keyboard.type(newPassword);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expectToSignIn(email);
});

test('a new password set in a browser that is still signed in ends that session too, and sign-in needs the new password', async () => {
  const account = await app.createAccount();
  const page = await dashboardOf(app, account, '/app/forgot');
  expect(await page.getByLabel('Email').inputValue()).toBe(account.email);
  await page.goto(await resetLinkFor(account.email));
  await page.getByLabel('New password').fill(newPassword);
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(new URL(page.url()).pathname).toBe('/app/sign-in');
});

test("a new password set in a browser where another user is signed in doesn't sign that user out", async () => {
  const account = await app.createAccount();
  const page = await dashboardOf(app, await app.createAccount(), '/app/tags');
  await page.goto(await resetLinkFor(account.email));
  await page.getByLabel('New password').fill(newPassword);
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  const signedIn = await app.call('POST', '/api/v1/session', {
    body: { email: account.email, password: newPassword },
  });
  expect(signedIn.status).toBe(201);
});

test('without a network the input is kept, and trying again is offered', async () => {
  const { email } = await app.createAccount();
  const page = await openSignedOut(new URL(await resetLinkFor(email)).pathname);
  await page.getByLabel('New password').fill(newPassword);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByRole('alert').getByText("Linnet can't be reached").waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Password changed.').waitFor();
  await expectToSignIn(email);
});

test('a service without mail shows the set-up page at these URLs while it has no accounts, then who can help, and the command to copy', async () => {
  const appWithoutMail = await startApp();
  try {
    const page = await openSignedOut('/app/reset/x', appWithoutMail);
    const expectSetUp = async () => {
      await page.getByRole('heading', { name: 'Set up Linnet' }).waitFor();
      expect(await page.getByLabel('New password').count()).toBe(0);
    };
    await expectSetUp();
    await page.goto(`${appWithoutMail.url}/app/forgot`);
    await expectSetUp();
    await appWithoutMail.createAccount();
    await page.reload();
    await page.getByText('This service sends no mail.').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy command' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'npm run -s linnet -- user password --email you@example.com',
    );
    await expectNoBarriers(page);
  } finally {
    await appWithoutMail.stop();
  }
});

test("the field shows the API's message for an invalid address", async () => {
  const page = await openSignedOut('/app/forgot');
  // The browser accepts this address, the API doesn't.
  await page.getByLabel('Email').fill('ada,b@example.com');
  await page.evaluate("document.querySelector('form').noValidate = true");
  await page.getByRole('button', { name: 'Send link' }).click();
  await page.getByRole('alert').getByText('This is not an email address.').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
});

test('a user who loses the answer to a new password is shown that it may be set, and signs in with it', async () => {
  const { email } = await app.createAccount();
  const page = await openSignedOut(new URL(await resetLinkFor(email)).pathname);
  await loseFirstAnswer(page, '**/api/v1/user/reset_password');
  await page.getByLabel('New password').fill(newPassword);
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Your new password may be set' }).waitFor();
  await expectNoBarriers(page);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(newPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
});
