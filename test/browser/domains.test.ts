import { afterAll, expect, test } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';
import { type Names, startNameServer, zoneOf } from '../support/name-server.ts';
import { visitRaw } from '../support/raw-http.ts';
import { holdBack } from './held-requests.ts';
import { dashboardsInOnePage } from './one-page.ts';

const names: Names = {};
const dns = await startNameServer(zoneOf(names));
const app = await appOfSuite({
  env: { DNS_SERVERS: dns.address, DOMAIN_TARGET: '127.0.0.1' },
  overrides: { domainInterval: 200 },
});
afterAll(() => dns.stop());
const open = dashboardsInOnePage(app);

test('a domain is added, shows its records, is verified automatically, has a link, and is deleted with that link', async () => {
  const account = await app.createAccount();
  const page = await open(account, '/app/domains');
  await page.getByLabel('Domain or subdomain').fill('https://go.bücher.de/');
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.waitForURL('**/app/domains/*');
  await page.getByText('Waiting for DNS').waitFor();
  await page.getByText('go.xn--bcher-kva.de', { exact: true }).first().waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  const domain = async () => (await app.call('GET', '/api/v1/domain', { key: account.key })).json[0];
  // Wait for the first lookup: if it finished after the clock moves, it would be recorded at the later time.
  await eventually(async () => (await domain()).checked_at !== null, 'the first lookup');
  const [txtRecord] = (await domain()).records;
  await page.getByText(txtRecord.value).waitFor();
  const copied = page.getByRole('button', { name: /^Copy / });
  const labels = await copied.evaluateAll((buttons) => buttons.map((button) => button.ariaLabel));
  expect(new Set(labels).size).toBe(4);
  // The page reloads by itself: nothing is clicked until the domain is verified.
  names[txtRecord.name] = { TXT: [txtRecord.value] };
  app.clock.now += 15_000;
  await page.getByText('Verified', { exact: true }).waitFor();
  names['go.xn--bcher-kva.de'] = { A: ['127.0.0.1'] };
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Seen', { exact: true }).nth(1).waitFor();

  await app.createLink(account, { domain: 'go.bücher.de', suffix: 'tulips' });
  const visit = (path: string) => visitRaw(app.url, { host: 'go.xn--bcher-kva.de', path });
  expect((await visit('/tulips')).status).toBe(302);

  await page.getByLabel("The domain's own page").fill('https://bücher.de/');
  await page.getByLabel('Unknown links').fill('nonsense');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').first().waitFor();
  await page.getByLabel('Unknown links').fill('https://bücher.de/lost');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  expect((await visit('/')).headers.location).toBe('https://xn--bcher-kva.de/');

  await page.reload();
  await page.getByText('It has 1 link.').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Delete domain' }).click();
  await page.getByRole('button', { name: 'Delete domain and 1 link' }).click();
  await page.getByText('No custom domain yet').waitFor();
  expect((await app.call('GET', '/api/v1/link', { key: account.key })).json.total_links).toBe(0);
});

test('a link is created on a verified domain in the dashboard, and the list is filtered by domain', async () => {
  const account = await app.createAccount();
  const { json: domain } = await app.call('POST', '/api/v1/domain', {
    key: account.key,
    body: { domain: 'läden.example.com' },
  });
  const [txtRecord] = domain.records;
  names[txtRecord.name] = { TXT: [txtRecord.value] };
  expect(
    (await app.call('POST', `/api/v1/domain/${domain.id}/verify`, { key: account.key })).json,
  ).toMatchObject({ state: 'verified' });
  await app.call('POST', '/api/v1/link', {
    key: account.key,
    body: { destination_url: 'https://example.com/', suffix: 'on-the-service' },
  });

  const page = await open(account);
  await page.getByRole('button', { name: 'Options' }).click();
  await page.getByRole('combobox', { name: 'Domain', exact: true }).selectOption('läden.example.com');
  await page.getByRole('textbox', { name: 'Suffix' }).fill('open');
  await page.getByLabel('Long URL').fill('https://example.com/opening-hours');
  await page.getByLabel('Long URL').press('Enter');
  const newLink = page.getByRole('region', { name: 'New link' });
  const { port } = new URL(app.url);
  await newLink.locator('.made-short', { hasText: `läden.example.com:${port}/open` }).waitFor();
  const response = await visitRaw(app.url, { host: domain.domain, path: '/open' });
  expect([response.status, response.headers.location]).toEqual([302, 'https://example.com/opening-hours']);
  // Not on the service's own domain.
  expect((await app.visit('/open')).status).toBe(404);

  const rows = page.locator('.row-short');
  await rows.nth(1).waitFor();
  const filter = page.getByRole('combobox', { name: 'Filter by domain' });
  await filter.selectOption('läden.example.com');
  await page.getByText('1 link', { exact: true }).waitFor();
  expect(await rows.allInnerTexts()).toEqual([`läden.example.com:${port}\n/open`]);
  await filter.selectOption(new URL(app.url).host);
  await rows.filter({ hasText: 'on-the-service' }).waitFor();
  expect(await rows.count()).toBe(1);
  expect(await accessibilityViolations(page)).toEqual([]);

  // The link's page and the command palette show the same name.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('open');
  await page.getByRole('option', { name: `läden.example.com:${port}/open` }).click();
  await page.getByRole('heading', { name: `läden.example.com:${port}/open` }).waitFor();
});

test('where visitors without a link go is saved field by field, and shown as another user saved it', async () => {
  const account = await app.createAccount();
  const { json: domain } = await app.call('POST', '/api/v1/domain', {
    key: account.key,
    body: { domain: 'two-windows.example.com' },
  });
  const path = `/api/v1/domain/${domain.id}`;
  const saveElsewhere = (body: object) => app.call('PATCH', path, { key: account.key, body });
  const page = await open(account, `/app/domains/${domain.id}`);
  const root = page.getByLabel("The domain's own page");
  await saveElsewhere({ root_url: 'https://example.com/theirs' });
  // The page is reloaded every few seconds until the domain is verified.
  await page.waitForFunction(() => document.querySelector('input')?.value === 'https://example.com/theirs');
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);

  await page.route(`**${path}`, async (route) => {
    if (route.request().method() === 'PATCH') await route.continue();
    else await route.abort();
  });
  await saveElsewhere({ root_url: 'https://example.com/theirs-again' });
  await page.getByLabel('Unknown links').fill('https://example.com/mine');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  expect((await app.call('GET', path, { key: account.key })).json).toMatchObject({
    root_url: 'https://example.com/theirs-again',
    not_found_url: 'https://example.com/mine',
  });
  expect(await root.inputValue()).toBe('https://example.com/theirs-again');
});

test('an address that is typed while another is being saved stays', async () => {
  const account = await app.createAccount();
  const { json: domain } = await app.call('POST', '/api/v1/domain', {
    key: account.key,
    body: { domain: 'typed-on.example.com' },
  });
  const path = `/api/v1/domain/${domain.id}`;
  const page = await open(account, `/app/domains/${domain.id}`);
  const root = page.getByLabel("The domain's own page");
  const { arrived, release } = await holdBack(page, `**${path}`, { method: 'PATCH' });
  await root.fill('https://example.com/first');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await arrived;
  await root.fill('https://example.com/second');
  release();
  await page.getByText('Saved.').waitFor();
  expect(await root.inputValue()).toBe('https://example.com/second');
  expect((await app.call('GET', path, { key: account.key })).json.root_url).toBe('https://example.com/first');
});

test("the API's message about an invalid domain is shown beside the field", async () => {
  const account = await app.createAccount();
  const page = await open(account, '/app/domains');
  await page.getByLabel('Domain or subdomain').fill('not a domain');
  await page.getByRole('button', { name: 'Add domain' }).click();
  const response = await app.call('POST', '/api/v1/domain', {
    key: account.key,
    body: { domain: 'not a domain' },
  });
  await page.getByRole('alert').getByText(response.json.error_string).waitFor();
  expect(await page.getByLabel('Domain or subdomain').inputValue()).toBe('not a domain');
});

test('unsaved changes are not discarded without asking', async () => {
  const account = await app.createAccount();
  const domain = await app.call('POST', '/api/v1/domain', {
    key: account.key,
    body: { domain: 'mine.example.com' },
  });
  const page = await open(account, `/app/domains/${domain.json.id}`);
  await page.getByLabel('Unknown links').fill('https://example.com/lost');
  await page.getByRole('link', { name: 'Tags' }).click();
  await page
    .getByRole('dialog', { name: 'Leave this page?' })
    .getByRole('button', { name: 'Stay here' })
    .click();
  expect(await page.getByLabel('Unknown links').inputValue()).toBe('https://example.com/lost');
  await page.getByRole('link', { name: 'Tags' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.waitForURL('**/app/tags');
});

test("a domain whose certificate can't be issued is marked in the list, with instructions", async () => {
  const account = await app.createAccount();
  const { database, domains } = app.app.context;
  const created = await app.call('POST', '/api/v1/domain', {
    key: account.key,
    body: { domain: 'caa.example.net' },
  });
  const [txtRecord] = created.json.records;
  names[txtRecord.name] = { TXT: [txtRecord.value] };
  await app.call('POST', `/api/v1/domain/${created.json.id}/verify`, { key: account.key });
  const row = {
    host: 'caa.example.net',
    problem: 'caa',
    problem_detail: 'CAA says no',
    next_at: 4_000_000_000_000,
  };
  await database.write((queries) => queries.insertInto('certificates').values(row).execute());
  // Simulates HTTPS=auto, where the browser would have to trust another CA.
  const settings = domains as { getsCertificates: boolean };
  settings.getsCertificates = true;
  try {
    const page = await open(account, '/app/domains');
    const item = page.getByRole('listitem').filter({ hasText: 'caa.example.net' });
    await item.getByText('No certificate', { exact: true }).waitFor();
    await item
      .getByText('Add one that names this authority, or take it out. (The authority: CAA says no)')
      .waitFor();
    expect(await item.getByText('Verified').count()).toBe(0);
    expect(await accessibilityViolations(page)).toEqual([]);
    await database.write((queries) =>
      queries
        .updateTable('certificates')
        .set({ not_after: 4_000_000_000_000 })
        .where('host', '=', row.host)
        .execute(),
    );
    await page.reload();
    await item.getByText('Certificate not renewed', { exact: true }).waitFor();
  } finally {
    settings.getsCertificates = false;
  }
});

test('a domain that is deleted leaves the page of another alone, and Back to its own says that it is gone', async () => {
  const account = await app.createAccount();
  for (const domain of ['first.example.com', 'second.example.com'])
    await app.call('POST', '/api/v1/domain', { key: account.key, body: { domain } });
  const page = await open(account, '/app/domains');
  await page.getByRole('link', { name: 'first.example.com' }).click();
  const { arrived, release } = await holdBack(page, '**/api/v1/domain/*', { method: 'DELETE' });
  await page.getByRole('button', { name: 'Delete domain' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete domain' }).click();
  await arrived;
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Domains' }).click();
  await page.getByRole('link', { name: 'second.example.com' }).click();
  await page.getByLabel('Unknown links').fill('https://example.com/typed');
  release();
  await page.getByText('first.example.com deleted.').waitFor();
  expect(await page.getByLabel('Unknown links').inputValue()).toBe('https://example.com/typed');
  await page.getByRole('button', { name: 'Delete domain' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete domain' }).click();
  await page.waitForURL('**/app/domains');
  await page.goBack();
  await page.getByRole('heading', { name: 'There is no such domain' }).waitFor();
  expect(await page.getByRole('button', { name: 'Delete domain' }).count()).toBe(0);
  expect(await accessibilityViolations(page)).toEqual([]);
});

test('a domain that has only aliases of links, or links by now, is deleted after another question', async () => {
  const account = await app.createAccount();
  const add = async (domain: string) => {
    const { json } = await app.call('POST', '/api/v1/domain', { key: account.key, body: { domain } });
    const [txtRecord] = json.records;
    names[txtRecord.name] = { TXT: [txtRecord.value] };
    await app.call('POST', `/api/v1/domain/${json.id}/verify`, { key: account.key });
    return json;
  };
  const former = await add('former.example.com');
  const link = await app.createLink(account, { domain: former.domain, suffix: 'tulips' });
  const setDomain = { key: account.key, body: { domain: new URL(app.url).host } };
  expect((await app.call('PATCH', `/api/v1/link/${link.id}`, setDomain)).status).toBe(200);
  const page = await open(account, `/app/domains/${former.id}`);
  const question = page.getByRole('dialog');
  const remove = async () => {
    await page.getByRole('button', { name: 'Delete domain' }).click();
    await question.getByRole('button', { name: 'Delete domain', exact: true }).click();
  };
  await remove();
  await question.getByText('There are aliases of links on it').waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await question.getByRole('button', { name: 'Delete domain and aliases' }).click();
  await page.waitForURL('**/app/domains');
  const read = await app.call('GET', `/api/v1/link/${link.id}`, { key: account.key });
  expect(read.json).toMatchObject({ suffix: 'tulips', aliases: [] });

  const used = await add('used.example.com');
  await page.reload();
  await page.getByRole('link', { name: used.domain }).click();
  await page.getByText('It has no links.').waitFor();
  await app.createLink(account, { domain: used.domain });
  await remove();
  await question.getByText('Its link is deleted with it, and stops working').waitFor();
  await question.getByText('So do aliases of other links on this domain.').waitFor();
  await question.getByRole('button', { name: 'Delete domain and 1 link' }).click();
  await page.waitForURL('**/app/domains');
});
