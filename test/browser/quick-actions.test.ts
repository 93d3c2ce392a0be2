import { expect, test } from 'bun:test';
import { appOfSuite } from '../support/browser-suite.ts';
import { holdBack } from './held-requests.ts';
import { linksOf, notice, rows } from './link-list.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const dashboard = dashboardsInOnePage(app);
const { createLink } = linksOf(app);

test('of two invitations that are withdrawn one right after the other, both are, each once', async () => {
  const account = await app.createAccount();
  for (const email of ['first@example.com', 'second@example.com'])
    await app.call('POST', '/api/v1/invitation', { key: account.key, body: { email, role: 'editor' } });
  const page = await dashboard(account, '/app/organization');
  const { arrived, release } = await holdBack(page, '**/api/v1/invitation/*', { method: 'DELETE' });
  const withdraw = (email: string) =>
    page.getByRole('button', { name: `Withdraw the invitation of ${email}` });
  await withdraw('first@example.com').dblclick();
  await arrived;
  await withdraw('second@example.com').click();
  release();
  await notice(page).getByText('The invitation of second@example.com is withdrawn.').waitFor();
  await page.getByText('There are no outstanding invitations.').waitFor();
  expect(await notice(page).count()).toBe(2);
});

test('a switch of the organization that is switched back while it is being saved stays as it is shown', async () => {
  const account = await app.createAccount();
  const page = await dashboard(account, '/app/organization');
  const { arrived, release } = await holdBack(page, '**/api/v1/organization', { method: 'PATCH' });
  const marker = page.getByRole('switch', { name: 'New links distinguish scans from clicks' });
  await marker.click();
  await arrived;
  await marker.click();
  const lastSaved = page.waitForResponse(
    (response) => response.request().postData()?.includes('false') ?? false,
  );
  release();
  await lastSaved;
  expect(await marker.isChecked()).toBe(false);
  const { json } = await app.call('GET', '/api/v1/organization', { key: account.key });
  expect(json.qr_code_marker).toBe(false);
});

test('selected links are archived once, however often the button is pressed', async () => {
  const account = await app.createAccount();
  await createLink(account, 'old');
  const page = await dashboard(account);
  await rows(page).getByRole('checkbox').check();
  const { arrived, release } = await holdBack(page, '**/api/v1/link/bulk', { method: 'PATCH' });
  await page.getByRole('button', { name: 'Archive', exact: true }).dblclick();
  await arrived;
  release();
  await notice(page).getByText('/old archived.').waitFor();
  await rows(page).waitFor({ state: 'detached' });
  expect(await notice(page).count()).toBe(1);
});
