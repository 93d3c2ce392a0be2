import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';
import { startTarget } from '../support/webhook-target.ts';
import { followLink } from './follow-link.ts';
import { describedBy, field, linkPagesOf, save } from './link-page.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = linkPagesOf(app, dashboardsInOnePage(app));

/** Waits until everything has loaded. */
const waitUntilLoaded = (page: Page): Promise<void> =>
  eventually(async () => (await page.locator('main .skeleton').count()) === 0, 'the page to load', 240_000);

describe('the menu of a link', () => {
  test('deletes it, and Undo restores it', async () => {
    const { page, link, owner } = await open();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name: 'Delete link' }).click();
    await page.waitForURL('**/app');
    const path = `/api/v1/link/${link.id}`;
    expect((await app.call('GET', path, { key: owner.key })).status).toBe(404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 link restored.').waitFor();
    expect((await app.call('GET', path, { key: owner.key })).status).toBe(200);
  });

  test('duplicates it completely; a copy of a link with a password needs a password of its own', async () => {
    const { page, owner, link } = await open({ name: 'the first', captcha: true, password: 'secret' });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('button', { name: 'Duplicate link' }).click();
    await page.getByRole('dialog').getByLabel('Password of the copy', { exact: true }).fill('another');
    await page.getByRole('dialog').getByRole('button', { name: 'Duplicate link' }).click();
    await page.getByText('This is the copy').waitFor();
    const id = Number(new URL(page.url()).pathname.split('/').at(-1));
    expect(id).not.toBe(link.id);
    const copy = await app.call('GET', `/api/v1/link/${id}`, { key: owner.key });
    expect(copy.json).toMatchObject({ name: 'the first', captcha: true, has_password: true });
    expect(await field(page, 'Name').inputValue()).toBe('the first');
  });
});

describe('the webhook of a link', () => {
  test('is tested, and shows the result; a failed delivery is sent again and arrives', async () => {
    let isBroken = true;
    const target = startTarget(() =>
      isBroken ? new Response('the <b>kettle</b> is cold', { status: 500 }) : new Response('tea is ready'),
    );
    const { page, read } = await open({}, '/webhook');
    await page.getByText('Nothing has been sent yet').waitFor();
    await field(page, 'Webhook address').fill(target.url);
    await page.getByRole('button', { name: 'Save and send test call' }).click();
    const outcome = page.locator('.test-call');
    await outcome.getByText('Answered 500').waitFor();
    await outcome.getByText('the <b>kettle</b> is cold').waitFor();
    expect(await read()).toMatchObject({ webhook_url: target.url });
    expect(JSON.parse(target.received[0]?.body ?? '')).toMatchObject({ payload: { sample: true } });
    const deliveries = page.getByRole('region', { name: 'Deliveries' });
    await deliveries.getByText('Failed').waitFor();
    await deliveries.getByRole('button', { name: /Test call/ }).click();
    await deliveries.getByText('the <b>kettle</b> is cold').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    isBroken = false;
    await deliveries.getByRole('button', { name: 'Redeliver' }).click();
    await deliveries.getByText('Delivered').waitFor();
    await deliveries.getByText('tea is ready').waitFor();
    const ids = (await target.calls(2)).map(({ headers }) => headers['webhook-id']);
    expect(ids[0]).toBe(ids[1]);
    target.stop();
  });

  test('shows a delivered click without reloading', async () => {
    const target = startTarget();
    const { page, link } = await open({ webhook_url: target.url }, '/webhook');
    await page.getByText('Nothing has been sent yet').waitFor();
    await app.visit(new URL(link.url).pathname);
    const [call] = await target.calls(1);
    expect(call?.path).toBe('/hook');
    await page.getByRole('button', { name: /Delivered Click Answered 200/ }).waitFor();
    target.stop();
  });

  test('shows beside the field that a target is not allowed, and shows why a test call has to wait', async () => {
    const target = startTarget();
    const { page, link, owner } = await open({ webhook_url: target.url }, '/webhook');
    const address = field(page, 'Webhook address');
    await address.fill('http://nas.local/hook');
    await page.getByRole('button', { name: 'Save and send test call' }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    expect(await describedBy(address)).toMatch(/nas\.local|inside|public/);
    await address.fill(target.url);
    await page.getByRole('button', { name: 'Send test call' }).click();
    await page.locator('.test-call .callout.good').waitFor();
    for (let count = 1; count < 10; count++) {
      const sent = await app.call('POST', `/api/v1/link/${link.id}/webhook_test`, { key: owner.key });
      expect(sent.status).toBe(200);
    }
    await page.getByRole('button', { name: 'Send test call' }).click();
    await page.getByText('Ten tests and redeliveries a minute').waitFor();
    target.stop();
  });

  test('hides its keys until they are requested', async () => {
    const { page, read } = await open({ webhook_auth_key: 'whsec_c2VjcmV0' }, '/webhook');
    for (const label of ['Webhook key', 'Zapier key']) {
      expect(await field(page, label).getAttribute('type')).toBe('password');
      await page.getByRole('button', { name: `Show ${label}` }).click();
      expect(await field(page, label).getAttribute('type')).toBe('text');
    }
    expect(await field(page, 'Zapier key').inputValue()).toBe(String((await read()).zapier_key));
    expect(await field(page, 'Zapier key').isEditable()).toBe(false);
  });
});

describe('a script in a text', () => {
  const payload = `"><img src=x onerror="window.ran=1"><script>window.ran=1</script>javascript:window.ran=1`;

  test('never runs on the pages of its link, nor in the preview', async () => {
    const target = startTarget(() => new Response(payload, { status: 500 }));
    const { page, owner, link, change } = await open({ webhook_url: target.url });
    const tag = await app.call('POST', '/api/v1/tag', {
      key: owner.key,
      body: { name: payload.slice(0, 90) },
    });
    const text = payload.slice(0, 250);
    await field(page, 'Destination').fill(`https://example.com/?${text}`);
    for (const label of ['Name', 'Card title', 'Card description']) await field(page, label).fill(text);
    await field(page, 'Card picture').fill('javascript:window.ran=1');
    await page.getByText('How it looks when it is shared').waitFor();
    await page.getByRole('button', { name: 'Set a password' }).click();
    await page.locator('input:focus').waitFor();
    await page.keyboard.insertText(text);
    await field(page, 'Card picture').fill(`https://example.invalid/"onerror="window.ran=1`);
    await page.getByRole('link', { name: 'Webhook' }).click();
    await field(page, 'Webhook key').fill(text);
    await save(page);
    await page.getByRole('button', { name: 'Send test call' }).click();
    await page.locator('.test-call .callout.bad').waitFor();
    await page.getByRole('button', { name: /Test call/ }).click();
    await page.getByRole('heading', { name: 'What was sent' }).waitFor();
    await change({ name: `theirs ${text}`, add_tags: [tag.json.id] });
    await page.getByRole('link', { name: 'Details' }).click();
    await field(page, 'Name').fill('mine');
    await page.keyboard.press('Control+s');
    await page.getByRole('dialog').waitFor();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await page.reload();
    for (const tab of ['', '/stats', '/visits', '/webhook']) {
      await followLink(page, `/app/links/${link.id}${tab}`);
      await page.locator(`nav [href="/app/links/${link.id}${tab}"][aria-current]`).waitFor();
      await waitUntilLoaded(page);
      expect(await page.evaluate("'ran' in window")).toBe(false);
      expect(await page.locator('main script, main [onerror]').count()).toBe(0);
    }
    target.stop();
  });
});

test('no control of a link reaches beyond the window, nor is too narrow to type in; at 320 pixels the menu, "Save later" and the hours of a rule are not cut off', async () => {
  const hours = { timezone: 'UTC', from: '09:00', to: '17:00' };
  const { page } = await open({ rules: [{ when: { hours }, destination_url: 'https://example.com/open' }] });
  const tabs = page.getByRole('navigation', { name: 'Link' });
  for (const [tab, loaded] of [
    ['Rules', 'Try as…'],
    ['Details', 'Background'],
  ] as const) {
    await tabs.getByRole('link', { name: tab }).click();
    await page.getByText(loaded, { exact: true }).first().waitFor();
    for (const width of [500, 1001, 1100]) {
      await page.setViewportSize({ width, height: 700 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      const fields = page.locator('main .input:visible');
      const widths = await fields.evaluateAll((all) => all.map((input) => input.clientWidth));
      expect(Math.min(...widths)).toBeGreaterThan(80);
    }
  }

  await page.setViewportSize({ width: 320, height: 640 });
  /** The controls that reach beyond the window, or beyond the frame that they are in. */
  const cutOff = (frame: string) =>
    page.evaluate((selector) => {
      const within = document.querySelector(selector)?.getBoundingClientRect();
      const controls = [...document.querySelectorAll(`${selector} :is(button, input, select)`)];
      const boxes = controls.map((control) => control.getBoundingClientRect());
      const [left, right] = [Math.max(0, within?.left ?? 0), Math.min(innerWidth, within?.right ?? 0)];
      return boxes.length === 0 || boxes.some((box) => box.left < left || box.right > right);
    }, frame);
  await page.getByRole('button', { name: 'More actions' }).click();
  expect(await cutOff('.menu-list')).toBe(false);
  await page.keyboard.press('Escape');
  await field(page, 'Name').fill('Later');
  await page.getByRole('button', { name: 'Save later' }).click();
  expect(await cutOff('dialog[open]')).toBe(false);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await tabs.getByRole('link', { name: 'Rules' }).click();
  await page.getByRole('button', { name: 'Edit rule 1' }).click();
  await field(page, 'Until').waitFor();
  expect(await cutOff('.hours-times')).toBe(false);
});
