import { afterAll, expect, test } from 'bun:test';
import { startApp } from '../support/app.ts';
import { signedOutPage } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { expectNoBarriers } from './barriers.ts';

const app = await appOfSuite({ env: { REGISTRATION: 'open' } });
const owner = await app.createAccount();
const closed = await startApp({ env: { REGISTRATION: 'closed' } });
afterAll(() => closed.stop());
await closed.createAccount();

test('where registration is open, anyone creates an account with an organization of its own, and is signed in', async () => {
  const page = await signedOutPage(app, '/app');
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  await expectNoBarriers(page);
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password').fill('a long enough one');
  await page.getByLabel('Organization').fill('Birds & Co');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('There is an account with this email address.').waitFor();
  await page.getByLabel('Email').fill('new@example.com');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/app');
  const user = await (await page.request.get(`${app.url}/api/v1/user`)).json();
  expect(user).toMatchObject({
    email: 'new@example.com',
    organization_name: 'Birds & Co',
    role: 'administrator',
  });
  await page.goto(`${app.url}/app/sign-up`);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await page.waitForURL('**/app');
});

test('where it is closed, nobody is offered an account', async () => {
  const page = await signedOutPage(closed, '/app/sign-up');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.getByRole('link').allInnerTexts()).not.toContain('Create an account');
});
