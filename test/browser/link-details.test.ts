import { describe, expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { dayLength } from '../../src/rules/durations.ts';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { followLink } from './follow-link.ts';
import { row } from './link-list.ts';
import { describedBy, field, isHalfTyped, save, unsaved } from './link-page.ts';
import { linksInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = linksInOnePage(app);

/** The focus moves once the page has rendered. */
const focusOn = (input: Locator): Promise<void> => input.and(input.page().locator(':focus')).waitFor();

describe('the page of a link', () => {
  test('saves every field as it was typed, and nothing else', async () => {
    const { page, read, link, owner } = await open({ name: 'before', tags: [] });
    await app.call('POST', '/api/v1/tag', { key: owner.key, body: { name: 'known' } });
    await field(page, 'Destination').fill('example.org/after');
    await field(page, 'Destination on Android').fill('https://android.example/app');
    await field(page, 'Destination on iPhone and iPad').fill('https://ios.example/app');
    await field(page, 'Name').fill('After');
    await page.getByRole('combobox', { name: 'Tags' }).fill('known');
    await page.getByRole('option', { name: 'known' }).click();
    await page.getByRole('combobox', { name: 'Tags' }).fill('made here');
    await page.getByRole('option', { name: 'Create tag' }).click();
    await page.getByRole('button', { name: 'Remove tag made here' }).waitFor();
    await field(page, 'Card title').fill('A title');
    await field(page, 'Card description').fill('A description');
    await field(page, 'Card picture').fill('https://pictures.invalid/one.png');
    await field(page, 'Code').fill('#112233');
    await field(page, 'Background').fill('#FFEEDD');
    await page.getByRole('switch', { name: 'Count scans separately' }).click();
    await page.getByRole('switch', { name: 'Bot protection' }).click();
    await page.getByRole('switch', { name: 'Captcha' }).click();
    await page.getByRole('button', { name: 'Set a password' }).click();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('open sesame');
    // In the browser's time zone, Berlin: two hours ahead of UTC in July.
    await field(page, 'Expiration').fill('2031-07-01T12:30');
    await page.getByText('It expires on 1 Jul 2031, 12:30').waitFor();
    expect(await page.getByText('Times are those of Europe/Berlin.').first().isVisible()).toBe(true);
    await field(page, 'Click limit').fill('many');
    expect(await describedBy(field(page, 'Click limit'))).toContain('whole number');
    await field(page, 'Click limit').fill('1,000');
    await page.getByText('1,000 of 1,000 clicks are left').waitFor();
    await page.getByRole('link', { name: 'Webhook' }).click();
    await field(page, 'Webhook address').fill('http://127.0.0.1:9/hook');
    await page.getByRole('button', { name: 'Generate a key' }).click();
    await page.getByRole('checkbox', { name: 'Changes' }).check();
    await page.getByRole('checkbox', { name: 'Clicks' }).uncheck();
    await save(page);
    const saved = await read();
    expect(saved).toMatchObject({
      suffix: link.suffix,
      destination_url: 'https://example.org/after',
      android_link_destination: 'https://android.example/app',
      ios_link_destination: 'https://ios.example/app',
      name: 'After',
      og_title: 'A title',
      og_description: 'A description',
      og_image: 'https://pictures.invalid/one.png',
      qr_code_foreground_hex: '#112233',
      qr_code_background_hex: '#FFEEDD',
      qr_code_marker: true,
      bot_protection: true,
      captcha: true,
      has_password: true,
      expiration_date: '2031-07-01T10:30:00.000Z',
      click_limit: 1_000,
      webhook_url: 'http://127.0.0.1:9/hook',
      webhook_auth_key: expect.stringMatching(/^whsec_[\w+/]{32}$/),
      webhook_events: ['link.updated'],
    });
    expect((saved.tags as { name: string }[]).map(({ name }) => name).sort()).toEqual(['known', 'made here']);
    expect(await unsaved(page).count()).toBe(0);
  });

  test('clears every field', async () => {
    const { page, read } = await open({
      name: 'a name',
      android_link_destination: 'https://android.example/app',
      ios_link_destination: 'https://ios.example/app',
      og_title: 'A title',
      og_description: 'A description',
      og_image: 'https://pictures.invalid/one.png',
      password: 'open sesame',
      expiration_date: '2031-07-01T10:30:07.123Z',
      click_limit: 500,
      webhook_url: 'http://127.0.0.1:9/hook',
      webhook_auth_key: 'a key',
    });
    for (const label of [
      'Destination on Android',
      'Destination on iPhone and iPad',
      'Name',
      'Card title',
      'Card description',
      'Card picture',
      'Click limit',
    ])
      await field(page, label).fill('');
    await page.getByRole('button', { name: 'Remove password' }).click();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('It never expires.').waitFor();
    await page.getByRole('link', { name: 'Webhook' }).click();
    await field(page, 'Webhook address').fill('');
    await page.getByRole('button', { name: 'Remove key' }).click();
    await save(page);
    expect(await read()).toMatchObject({
      name: null,
      android_link_destination: null,
      ios_link_destination: null,
      og_title: null,
      og_description: null,
      og_image: null,
      has_password: false,
      expiration_date: null,
      click_limit: null,
      webhook_url: null,
      webhook_auth_key: null,
    });
  });

  test('sends only changed fields: an expiration to the millisecond and a password survive another edit', async () => {
    const { page, read } = await open({ expiration_date: '2031-07-01T10:30:07.123Z', password: 'kept' });
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await field(page, 'Name').fill('Another');
    await page.keyboard.press('Control+s');
    expect((await sent).postDataJSON()).toEqual({ name: 'Another' });
    await page.getByText('Changes saved.').waitFor();
    expect(await read()).toMatchObject({
      name: 'Another',
      has_password: true,
      expiration_date: '2031-07-01T10:30:07.123Z',
    });
    expect(await page.content()).not.toContain('kept');
  });

  test('saves no name of spaces only, and shows none', async () => {
    const { page, link, read, change } = await open({ name: 'Before' });
    await field(page, 'Name').fill('   ');
    await save(page);
    expect((await read()).name).toBeNull();
    await change({ name: ' \u00a0 ' });
    await followLink(page, '/app');
    await row(page, link.suffix).waitFor();
    expect(await row(page, link.suffix).locator('.row-name').count()).toBe(0);
  });

  test('does not treat a half-typed date as an empty one', async () => {
    const { page, read } = await open({ expiration_date: '2031-07-01T10:30:00Z' });
    await field(page, 'Expiration').focus();
    await page.keyboard.press('Backspace');
    await page.getByText('This date is incomplete').waitFor();
    await field(page, 'Name').fill('Another');
    await page.keyboard.press('Control+s');
    expect(await unsaved(page).isVisible()).toBe(true);
    await focusOn(field(page, 'Expiration'));
    expect(await read()).toMatchObject({ name: null, expiration_date: '2031-07-01T10:30:00.000Z' });
    await page.getByRole('button', { name: 'In 30 days' }).click();
    await page.getByText('in 30 days', { exact: true }).waitFor();
    await save(page);
    const days = (Date.parse(String((await read()).expiration_date)) - Date.now()) / dayLength;
    expect(Math.abs(days - 30)).toBeLessThan(0.1);
  });

  test('refuses to save without a date that was begun, and discards it with the other changes', async () => {
    const { page, read } = await open();
    const beginDate = async () => {
      await field(page, 'Expiration').focus();
      await page.keyboard.type('05062031');
    };
    await field(page, 'Name').fill('Another');
    await beginDate();
    await page.keyboard.press('Control+s');
    await page.getByText('This date is incomplete').waitFor();
    expect(await unsaved(page).isVisible()).toBe(true);
    expect((await read()).name).toBeNull();
    await page.getByRole('button', { name: 'Discard' }).click();
    await unsaved(page).waitFor({ state: 'detached' });
    await page.getByText('This date is incomplete').waitFor({ state: 'detached' });
    expect(await isHalfTyped(field(page, 'Expiration'))).toBe(false);

    // Without any other change nothing else would say that it isn't saved.
    await beginDate();
    expect(await isHalfTyped(field(page, 'Expiration'))).toBe(true);
    await field(page, 'Click limit').focus();
    await page.getByText('This date is incomplete').waitFor();
  });

  test('takes a date that was erased part by part for none', async () => {
    const { page, read } = await open({ expiration_date: '2031-07-01T10:30:00Z' });
    await field(page, 'Expiration').focus();
    await page.keyboard.press('Backspace');
    while (await isHalfTyped(field(page, 'Expiration'))) {
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Backspace');
    }
    await page.getByText('This date is incomplete').waitFor();
    await field(page, 'Click limit').focus();
    await page.getByText('It never expires.').waitFor();
    await save(page);
    expect((await read()).expiration_date).toBeNull();
  });

  test('is saved by Enter in a field, on every tab', async () => {
    const { page, read } = await open({
      rules: [{ when: { device: ['mobile'] }, destination_url: 'https://example.com/phones' }],
    });
    const saveByEnter = async (label: string, text: string) => {
      await field(page, label).fill(text);
      await field(page, label).press('Enter');
      await unsaved(page).waitFor({ state: 'detached' });
    };
    await saveByEnter('Name', 'entered');
    // Safari ignores Enter if the submit button isn't rendered.
    const submit = page.locator('.link-form button[type="submit"]');
    expect(await submit.evaluate((button) => button.getClientRects().length)).toBe(1);
    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('button', { name: /^Edit/ }).click();
    await saveByEnter('Name of the rule', 'phones');
    await page.getByRole('link', { name: 'Webhook' }).click();
    await saveByEnter('Webhook address', 'https://example.com/hook');
    expect(await read()).toMatchObject({
      name: 'entered',
      rules: [{ name: 'phones' }],
      webhook_url: 'https://example.com/hook',
    });
  });

  test("shows the API's message beside the field, and keeps the input", async () => {
    const { page, read, link } = await open();
    await field(page, 'Destination').fill(link.url);
    await field(page, 'Code').fill('#FFFFFF');
    await page.keyboard.press('Control+Enter');
    const destination = field(page, 'Destination');
    await page.locator('[aria-invalid="true"]').first().waitFor();
    expect(await describedBy(destination)).toContain('is itself on a short domain of this service');
    await focusOn(destination);
    await destination.fill('https://example.com/other');
    expect(await destination.getAttribute('aria-invalid')).toBeNull();
    await page.keyboard.press('Control+s');
    await page.getByText('The two colours of a QR code must differ').waitFor();
    expect(await describedBy(field(page, 'Code'))).toContain('The two colours of a QR code must differ');
    expect(await destination.inputValue()).toBe('https://example.com/other');
    expect(await read()).toMatchObject({ destination_url: 'https://example.com/before' });
    await field(page, 'Code').fill('#00000');
    await field(page, 'Name').fill('n');
    await page.keyboard.press('Control+s');
    await page.getByText('Give a colour as # and six hex digits').waitFor();
  });

  test('reports a lost network, keeps the input, and saves on retry', async () => {
    const { page, read } = await open();
    await field(page, 'Name').fill('Typed in a tunnel');
    await page.context().setOffline(true);
    await page.keyboard.press('Control+s');
    await unsaved(page).getByText("Linnet can't be reached.").waitFor();
    expect(await field(page, 'Name').inputValue()).toBe('Typed in a tunnel');
    await page.context().setOffline(false);
    await unsaved(page).getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Changes saved.').waitFor();
    expect(await read()).toMatchObject({ name: 'Typed in a tunnel' });
  });

  test("reports that it can't be loaded, and loads on retry", async () => {
    const { page, owner } = await open();
    const link = await app.createLink(owner, { name: 'here again' });
    await page.route(`**/api/v1/link/${link.id}`, (route) =>
      route.fulfill({
        status: 503,
        json: { status_code: 503, error_code: 'STORE_AWAY', error_string: 'The database is away.' },
      }),
    );
    await followLink(page, `/app/links/${link.id}`);
    await page.getByText('The database is away.').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.unroute(`**/api/v1/link/${link.id}`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await field(page, 'Name').waitFor();
    expect(await field(page, 'Name').inputValue()).toBe('here again');
  });

  test('asks to sign in on the same page when the session has ended', async () => {
    const { page, owner, read } = await open();
    await field(page, 'Name').fill('Typed before');
    await page.context().clearCookies();
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password', { exact: true }).fill(owner.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await field(page, 'Name').inputValue()).toBe('Typed before');
    await page.keyboard.press('Control+s');
    await page.getByText('Changes saved.').waitFor();
    expect(await read()).toMatchObject({ name: 'Typed before' });
  });

  test('shows if a link does not exist', async () => {
    const { owner, page } = await open();
    const otherOwner = await app.createAccount();
    const otherLink = await app.createLink(otherOwner);
    for (const id of [otherLink.id, 'none']) {
      await followLink(page, `/app/links/${id}`);
      await page.getByText('There is no such link').waitFor();
      await followLink(page, '/app/tags');
      await page.getByText('There is no such link').waitFor({ state: 'detached' });
    }
    expect(owner.organizationId).not.toBe(otherOwner.organizationId);
  });
});
