import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startApp, type TestAccount } from '../support/app.ts';
import { signedOutPage } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { proveEmails } from '../support/proven-emails.ts';
import { loseFirstAnswer } from './held-requests.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const dashboard = dashboardsInOnePage(app);

interface Creation {
  readonly path: string;
  readonly at: string;
  readonly create: (page: Page) => Promise<void>;
  /** A text that is shown once it has been created. */
  readonly shown: string;
  readonly list: string;
  readonly countIn: (list: unknown) => number;
}

const itemsNamed = (field: string, value: string) => (list: unknown) =>
  (list as Record<string, unknown>[]).filter((item) => item[field] === value).length;

const creations: readonly (readonly [string, Creation])[] = [
  [
    'a tag',
    {
      path: '/api/v1/tag',
      at: '/app/tags',
      create: async (page) => {
        await page.getByLabel('New tag').fill('Spring');
        await page.getByLabel('New tag').press('Enter');
      },
      shown: 'Tag “Spring” created.',
      list: '/api/v1/tag',
      countIn: itemsNamed('name', 'Spring'),
    },
  ],
  [
    'an API key',
    {
      path: '/api/v1/api_key',
      at: '/app/account',
      create: async (page) => {
        await page.getByRole('button', { name: 'Add API Key' }).click();
        await page.getByRole('dialog').getByLabel('Name').fill('script');
        await page.keyboard.press('Enter');
      },
      shown: 'Your new API key',
      list: '/api/v1/api_key',
      countIn: itemsNamed('name', 'script'),
    },
  ],
  [
    'an invitation',
    {
      path: '/api/v1/invitation',
      at: '/app/organization',
      create: async (page) => {
        await page.getByRole('button', { name: 'Invite member' }).click();
        await page.getByLabel('Email').fill('charles@example.com');
        await page.keyboard.press('Enter');
      },
      shown: 'charles@example.com is invited',
      list: '/api/v1/invitation',
      countIn: itemsNamed('email', 'charles@example.com'),
    },
  ],
];

const answers = async (account: TestAccount, path: string) =>
  (await app.call('GET', path, { key: account.key })).json;

test.each(creations)('%s is not created twice if the answer was lost', async (_, creation) => {
  const account = await app.createAccount();
  const page = await dashboard(account, creation.at);
  const answered: (string | undefined)[] = [];
  page.on('response', (response) => {
    if (response.request().method() === 'POST') answered.push(response.headers()['idempotent-replayed']);
  });
  await loseFirstAnswer(page, `**${creation.path}`);
  await creation.create(page);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(creation.shown).first().waitFor();
  expect(answered).toEqual(['true']);
  expect(creation.countIn(await answers(account, creation.list))).toBe(1);
});

test('a change for later is not scheduled twice if the answer was lost', async () => {
  const account = await app.createAccount();
  const { id } = (
    await app.call('POST', '/api/v1/link', {
      key: account.key,
      body: { destination_url: 'https://example.com' },
    })
  ).json;
  const page = await dashboard(account, `/app/links/${id}`);
  await loseFirstAnswer(page, `**/api/v1/link/${id}/scheduled*`);
  await page.getByLabel('Destination', { exact: true }).fill('https://example.com/later');
  await page.getByRole('button', { name: 'Save later' }).click();
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(/^Scheduled for /).waitFor();
  expect((await answers(account, `/api/v1/link/${id}/scheduled`)).scheduled).toHaveLength(1);
});

async function invitationFor(email: string): Promise<{ readonly url: string }> {
  const { key } = await app.createAccount();
  await app.call('PATCH', '/api/v1/organization', { key, body: { name: 'Engines' } });
  return (await app.call('POST', '/api/v1/invitation', { key, body: { email } })).json;
}

test('a user who signs up and loses the answer is signed in by the next attempt', async () => {
  const { url } = await invitationFor('grace@example.com');
  const page = await signedOutPage(app, new URL(url).pathname);
  await loseFirstAnswer(page, '**/api/v1/user');
  await page.getByLabel('Password').fill('a long enough one');
  await page.getByRole('button', { name: 'Create account and join' }).click();
  await page.getByText("Linnet can't be reached.").waitFor();
  await page.getByRole('button', { name: 'Create account and join' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
});

test('a user who sets the service up and loses the answer is signed in by the next attempt', async () => {
  const fresh = await startApp();
  try {
    const page = await signedOutPage(fresh, '/app');
    await loseFirstAnswer(page, '**/api/v1/user');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill('a long enough one');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText("Linnet can't be reached.").waitFor();
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.close();
  } finally {
    await fresh.stop();
  }
});

test('a user who accepts an invitation on the page of its link and loses the answer is a member', async () => {
  const guest = await app.createAccount();
  const { url } = await invitationFor(guest.email);
  const page = await dashboard(guest, new URL(url).pathname);
  await loseFirstAnswer(page, '**/api/v1/invitation/accept');
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  expect((await (await page.request.get(`${app.url}/api/v1/user`)).json()).organization_name).toBe('Engines');
});

test('a user who accepts an invitation on the page of the account and loses the answer is a member', async () => {
  const guest = await app.createAccount();
  await invitationFor(guest.email);
  await proveEmails(app);
  const page = await dashboard(guest, '/app/account');
  await loseFirstAnswer(page, '**/api/v1/user/invitations/*/accept');
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  await page.getByText('You are now a member of Engines.').waitFor();
});

test('a user who has joined another organization of the same name is not told that they accepted the invitation', async () => {
  const guest = await app.createAccount();
  const { url } = await invitationFor(guest.email);
  const other = await app.createAccount();
  await app.call('PATCH', '/api/v1/organization', { key: other.key, body: { name: 'Engines' } });
  const body = { email: guest.email, role: 'editor' };
  const { token } = (await app.call('POST', '/api/v1/invitation', { key: other.key, body })).json;
  const page = await dashboard(guest, new URL(url).pathname);
  await page.getByRole('button', { name: 'Accept invitation' }).waitFor();
  const call = { data: { token }, headers: { origin: app.url } };
  const accepted = await page.request.post(`${app.url}/api/v1/invitation/accept`, call);
  expect(accepted.status()).toBe(200);
  await page.route('**/api/v1/invitation/accept', (route) => route.abort());
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  await page.getByText("Linnet can't be reached.").waitFor();
});

test('a user who deletes their account and loses the answer is told on the next attempt that it is deleted', async () => {
  const account = await app.createAccount();
  const page = await dashboard(account, '/app/account');
  await loseFirstAnswer(page, '**/api/v1/user', 'DELETE');
  await page.getByRole('region', { name: 'Delete account' }).getByRole('button').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill(account.password);
  await dialog.getByRole('button', { name: 'Delete account and organization' }).click();
  await dialog.getByText("Linnet can't be reached.").waitFor();
  await dialog.getByRole('button', { name: 'Delete account and organization' }).click();
  await page.getByText('Your account is deleted.').waitFor();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.getByText('Your session has ended').count()).toBe(0);
});
