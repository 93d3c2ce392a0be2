import { expect, test } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { foldClicks } from '../support/click.ts';
import { eventually } from '../support/eventually.ts';
import { targetOfEachTest } from '../support/webhook-target.ts';
import { linkPagesOf } from './link-page.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = linkPagesOf(app, dashboardsInOnePage(app));
const newTarget = targetOfEachTest();

test('deliveries that failed during an outage are shown, and sent again with one click', async () => {
  let isFailing = true;
  const target = newTarget(() => new Response(null, { status: isFailing ? 410 : 200 }));
  const { page, link, owner } = await open({ webhook_url: target.url }, '/webhook');
  const states = async (): Promise<string[]> =>
    (
      await app.call('GET', `/api/v1/link/${link.id}/webhook_deliveries`, { key: owner.key })
    ).json.webhook_deliveries.map(({ state }: { state: string }) => state);
  await foldClicks(app, link.id);
  await foldClicks(app, link.id);
  await eventually(async () => (await states()).join() === 'failed,failed', 'two failed deliveries');

  await page.getByRole('link', { name: 'Organization' }).first().click();
  const failing = page.getByRole('region', { name: 'Failing webhooks' });
  await failing.getByText(target.url).waitFor();
  await page.goBack();

  isFailing = false;
  await page.getByRole('button', { name: 'Redeliver all 2 that failed' }).waitFor();
  await page.getByRole('button', { name: 'Redeliver all 2 that failed' }).click();
  await page.getByText('Delivered').nth(1).waitFor();
  expect(await states()).toEqual(['delivered', 'delivered']);
  await page.getByRole('button', { name: 'Redeliver all 2 that failed' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Organization' }).first().click();
  await page.getByRole('heading', { name: 'Members' }).waitFor();
  await failing.waitFor({ state: 'detached' });
});

test('failed deliveries are sent again for all links, or for some days only, even after the target works again', async () => {
  let isFailing = true;
  const target = newTarget(() => new Response(null, { status: isFailing ? 410 : 200 }));
  const { page, link, owner } = await open({ webhook_url: target.url }, '/webhook');
  const other = await app.createLink(owner, { webhook_url: target.url });
  const outages = async () => (await app.call('GET', '/api/v1/webhook_outages', { key: owner.key })).json;
  for (const { id } of [link, other]) await foldClicks(app, id);
  await eventually(async () => (await outages()).total_failed === 2, 'two failed deliveries');
  isFailing = false;
  await foldClicks(app, link.id);
  await eventually(async () => (await outages()).webhook_outages.length === 0, 'the end of the outage');

  await page.getByRole('link', { name: 'Organization' }).first().click();
  const failed = page.getByRole('region', { name: 'Failed webhooks' });
  await failed.getByRole('button', { name: 'Some days only' }).click();
  const dialog = page.getByRole('dialog', { name: 'Redeliver failures of some days' });
  await dialog.getByLabel('From').fill('2020-01-01');
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByLabel('To').fill('2020-01-02');
  await dialog.getByRole('button', { name: 'Redeliver' }).click();
  await page.getByText('No message is on the way again.').waitFor();
  await failed.getByRole('button', { name: 'Some days only' }).click();
  await dialog.getByRole('button', { name: 'Redeliver' }).click();
  await page.getByText('2 messages are on the way again.').waitFor();
  await failed.waitFor({ state: 'detached' });
  await target.calls(5);
});
