import { afterAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startApp } from '../support/app.ts';
import { barriersOn, dashboardOf, freshContext } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { startMailServer } from '../support/mail-server.ts';

const server = await startMailServer();
const app = await appOfSuite({ env: { SMTP_URL: `smtp://127.0.0.1:${server.port}` } });
afterAll(() => server[Symbol.asyncDispose]());
await app.createAccount();

const wanted = 'a brand new password';

const strangerAt = async (path: string, on = app) => {
  const page = await (await freshContext()).newPage();
  await page.goto(on.url + path);
  return page;
};

async function ask(page: Page, email: string) {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send link' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.getByText(`If there is an account of ${email},`).waitFor();
}

/** The link in the latest mail. */
async function mailedLink(): Promise<string> {
  await app.app.context.backgroundTasks.finish();
  return /http\S+\/app\/reset\/\w+/.exec(server.mails.at(-1)?.parts['text/plain'] ?? '')?.[0] ?? '';
}

async function linkFor(email: string): Promise<string> {
  await app.call('POST', '/api/v1/user/forgot_password', { body: { email } });
  return mailedLink();
}

async function expectToSignIn(email: string) {
  const signedIn = await app.call('POST', '/api/v1/session', { body: { email, password: wanted } });
  expect(signedIn.status).toBe(201);
}

async function expectNoBarriers(page: Page) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      expect(await barriersOn(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  }
}

test('a user who forgot their password gets back in by the link in the mail, and the link works once', async () => {
  const { email } = await app.createAccount();
  const page = await strangerAt('/app');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.waitForURL('**/app/forgot');
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  await expectNoBarriers(page);
  await ask(page, email);
  await expectNoBarriers(page);

  const link = await mailedLink();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
  await expectNoBarriers(page);
  await page.getByLabel('New password').fill(wanted);
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByText('Password changed.').waitFor();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(wanted);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();

  const again = await strangerAt(new URL(link).pathname);
  await again.getByLabel('New password').fill(wanted);
  await again.getByRole('button', { name: 'Set new password' }).click();
  await again.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await expectNoBarriers(again);
  await again.getByRole('link', { name: 'Ask for a new link' }).click();
  await ask(again, email);
  await again.getByRole('button', { name: 'Send another link' }).click();
  expect(await again.getByLabel('Email').inputValue()).toBe(email);
  await again.getByRole('link', { name: 'Back to sign in' }).click();
  await again.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('an address without an account gets the same response, and no mail is sent', async () => {
  const page = await strangerAt('/app/forgot');
  const before = server.mails.length;
  await ask(page, 'nobody@example.com');
  await app.app.context.backgroundTasks.finish();
  expect(server.mails).toHaveLength(before);
});

test('it works by keyboard alone', async () => {
  const { email } = await app.createAccount();
  const page = await strangerAt('/app/forgot');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.goto(await mailedLink());
  await page.locator('input:focus').waitFor();
  await page.keyboard.type(wanted);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expectToSignIn(email);
});

test('in a browser that is still signed in, it signs out there too and asks for the new password', async () => {
  const who = await app.createAccount();
  const page = await dashboardOf(app, who, '/app/forgot');
  expect(await page.getByLabel('Email').inputValue()).toBe(who.email);
  await page.goto(await linkFor(who.email));
  await page.getByLabel('New password').fill(wanted);
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(new URL(page.url()).pathname).toBe('/app/sign-in');
});

test('in a browser where another user is signed in, they stay signed in', async () => {
  const who = await app.createAccount();
  const page = await dashboardOf(app, await app.createAccount(), '/app/tags');
  await page.goto(await linkFor(who.email));
  await page.getByLabel('New password').fill(wanted);
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  const signedIn = await app.call('POST', '/api/v1/session', {
    body: { email: who.email, password: wanted },
  });
  expect(signedIn.status).toBe(201);
});

test('without a network the input is kept, and trying again is offered', async () => {
  const { email } = await app.createAccount();
  const page = await strangerAt(new URL(await linkFor(email)).pathname);
  await page.getByLabel('New password').fill(wanted);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Set new password' }).click();
  await page.getByRole('alert').getByText("Linnet can't be reached").waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Password changed.').waitFor();
  await expectToSignIn(email);
});

test('if no mail is sent, the page says who can help, with the command to copy', async () => {
  const silent = await startApp();
  try {
    await silent.createAccount();
    const page = await strangerAt('/app/forgot', silent);
    await page.getByText('This service sends no mail.').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy command' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      'npm run -s linnet -- user password --email you@example.com',
    );
    await expectNoBarriers(page);
  } finally {
    await silent.stop();
  }
});

test('a service without accounts shows the set-up page, at these URLs too', async () => {
  const fresh = await startApp();
  try {
    for (const path of ['/app/forgot', '/app/reset/x']) {
      const page = await strangerAt(path, fresh);
      await page.getByRole('heading', { name: 'Set up Linnet' }).waitFor();
      expect(await page.getByLabel('New password').count()).toBe(0);
    }
  } finally {
    await fresh.stop();
  }
});

test("the field shows the API's message for an invalid address", async () => {
  const page = await strangerAt('/app/forgot');
  // The browser accepts this address, the API doesn't.
  await page.getByLabel('Email').fill('ada,b@example.com');
  await page.evaluate("document.querySelector('form').noValidate = true");
  await page.getByRole('button', { name: 'Send link' }).click();
  await page.getByRole('alert').getByText('This is not an email address.').waitFor();
  expect(await barriersOn(page)).toEqual([]);
});
