import { expect, test } from 'bun:test';
import { qrPng } from '../../src/qr/png.ts';
import { dashboardOf } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { pollUntil } from '../support/eventually.ts';
import { outside } from '../support/outside-target.ts';
import { followLink } from './follow-link.ts';
import { row } from './link-list.ts';
import { field, save } from './link-page.ts';

const app = await appOfSuite({ env: { FETCH_TITLES: 'on', WEBHOOK_ALLOW: outside } });

test("the page's title and icon are in the list, and the title is suggested as a name", async () => {
  const hostileTitle = '<img src=x onerror="document.title=1">Spring & all';
  using site = Bun.serve({
    port: 0,
    hostname: outside,
    fetch: ({ url }) =>
      url.endsWith('.ico')
        ? new Response(new Uint8Array(qrPng('icon', '#c00000', '#ffffff')))
        : new Response(`<title>${hostileTitle}</title>`, { headers: { 'content-type': 'text/html' } }),
  });
  const owner = await app.createAccount();
  const path = '/api/v1/link';
  const body = {
    destination_url: `http://${outside.includes(':') ? `[${outside}]` : outside}:${site.port}/page`,
  };
  const created = (await app.call('POST', path, { key: owner.key, body })).json;
  const read = async () => (await app.call('GET', `${path}/${created.id}`, { key: owner.key })).json;
  await pollUntil(read, (link) => link.destination_title !== null, 'the title');

  const page = await dashboardOf(app, owner);
  const linkRow = row(page, created.suffix);
  await linkRow.getByText(hostileTitle).waitFor();
  const icon = linkRow.locator('.site-icon');
  await icon.evaluate((image: HTMLImageElement) => image.decode());
  expect(await icon.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  expect(await icon.getAttribute('alt')).toBe('');
  expect(await page.title()).not.toBe('1');

  await followLink(page, `/app/links/${created.id}`);
  await page.getByRole('button', { name: 'Use the title of the page' }).click();
  expect(await field(page, 'Name').inputValue()).toBe(hostileTitle);
  expect(await page.getByRole('button', { name: 'Use the title of the page' }).count()).toBe(0);
  await save(page);
  expect((await read()).name).toBe(hostileTitle);
});
