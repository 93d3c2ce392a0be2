import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import jsQR from 'jsqr';
import type { Locator, Page } from 'playwright-core';
import { type Newcomer, startApp, type TestApp } from '../support/app.ts';
import { barriersOn, closeBrowser, dashboardOf, freshContext } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { startTarget } from '../support/webhook-target.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(async () => {
  await closeBrowser();
  await app.stop();
  expect(app.faults).toEqual([]);
});

const patience = 60_000;

interface Case {
  readonly owner: Newcomer;
  readonly link: { readonly id: number; readonly url: string; readonly suffix: string };
  readonly page: Page;
  read(): Promise<Record<string, unknown>>;
  change(body: object): Promise<void>;
}

/** A link of a new owner, and its page in a browser. */
async function open(fields: object = {}, tab = ''): Promise<Case> {
  const owner = await app.newcomer();
  const made = await app.call('POST', '/api/v1/link', {
    key: owner.key,
    body: { destination_url: 'https://example.com/before', ...fields },
  });
  expect(made.status).toBe(201);
  const path = `/api/v1/link/${made.json.id}`;
  const page = await dashboardOf(app, owner, `/app/links/${made.json.id}${tab}`);
  await page.getByRole('navigation', { name: 'Link' }).waitFor();
  return {
    owner,
    link: made.json,
    page,
    read: async () => (await app.call('GET', path, { key: owner.key })).json,
    async change(body) {
      expect((await app.call('PATCH', path, { key: owner.key, body })).status).toBe(200);
    },
  };
}

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Changes saved.').first().waitFor();
};

const field = (page: Page, label: string): Locator => page.getByLabel(label, { exact: true });
const hasFocus = async (input: Locator): Promise<boolean> =>
  (await input.and(input.page().locator(':focus')).count()) === 1;

/** What a screen reader says after the name of a field. */
async function describedBy(input: Locator): Promise<string> {
  const ids = (await input.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const texts = await Promise.all(ids.map((id) => input.page().locator(`[id="${id}"]`).textContent()));
  return texts.join(' ');
}

/** Everything that was asked for has come. */
const settled = (page: Page): Promise<void> =>
  eventually(
    async () => (await page.locator('main .skeleton').count()) === 0,
    'what the page asked for',
    15_000,
  );

const unsaved = (page: Page): Locator => page.getByRole('region', { name: 'Unsaved changes' });

describe('the page of a link', () => {
  test(
    'saves every field as it was typed, and nothing else',
    async () => {
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
      await page.getByRole('switch', { name: 'Count scans apart' }).click();
      await page.getByRole('switch', { name: 'Bot protection' }).click();
      await page.getByRole('switch', { name: 'Captcha' }).click();
      await page.getByRole('button', { name: 'Set a password' }).click();
      await page.keyboard.type('open sesame');
      // By the clock in Berlin, where the browser is: two hours ahead of UTC in July.
      await field(page, 'Expiration').fill('2031-07-01T12:30');
      await page.getByText('It expires on 1 Jul 2031, 12:30').waitFor();
      expect(await page.getByText('Times are those of Europe/Berlin.').isVisible()).toBe(true);
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
        webhook_url: 'http://127.0.0.1:9/hook',
        webhook_auth_key: expect.stringMatching(/^whsec_[\w+/]{32}$/),
        webhook_events: ['link.updated'],
      });
      expect((saved.tags as { name: string }[]).map(({ name }) => name).sort()).toEqual([
        'known',
        'made here',
      ]);
      expect(await unsaved(page).count()).toBe(0);
      await page.context().close();
    },
    patience,
  );

  test(
    'takes every field away again',
    async () => {
      const { page, read } = await open({
        name: 'a name',
        android_link_destination: 'https://android.example/app',
        ios_link_destination: 'https://ios.example/app',
        og_title: 'A title',
        og_description: 'A description',
        og_image: 'https://pictures.invalid/one.png',
        password: 'open sesame',
        expiration_date: '2031-07-01T10:30:07.123Z',
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
        webhook_url: null,
        webhook_auth_key: null,
      });
      await page.context().close();
    },
    patience,
  );

  test(
    'sends only what was changed: an expiration to the millisecond and a password outlive another edit',
    async () => {
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
      await page.context().close();
    },
    patience,
  );

  test(
    'does not take a date that is half typed for none',
    async () => {
      const { page, read } = await open({ expiration_date: '2031-07-01T10:30:00Z' });
      await field(page, 'Expiration').focus();
      await page.keyboard.press('Backspace');
      await page.getByText('This date is not complete').waitFor();
      await field(page, 'Name').fill('Another');
      await page.keyboard.press('Control+s');
      expect(await unsaved(page).isVisible()).toBe(true);
      expect(await hasFocus(field(page, 'Expiration'))).toBe(true);
      expect(await read()).toMatchObject({ name: null, expiration_date: '2031-07-01T10:30:00.000Z' });
      await page.getByRole('button', { name: 'In 30 days' }).click();
      await page.getByText('in 30 days', { exact: true }).waitFor();
      await save(page);
      const days = (Date.parse(String((await read()).expiration_date)) - Date.now()) / 86_400_000;
      expect(Math.abs(days - 30)).toBeLessThan(0.1);
      await page.context().close();
    },
    patience,
  );

  test(
    "shows the API's own words beside the field, and keeps what was typed",
    async () => {
      const { page, read, link } = await open();
      await field(page, 'Destination').fill(link.url);
      await field(page, 'Code').fill('#FFFFFF');
      await page.keyboard.press('Control+Enter');
      const destination = field(page, 'Destination');
      await page.locator('[aria-invalid="true"]').first().waitFor();
      expect(await describedBy(destination)).toContain('is itself on a short domain of this service');
      expect(await hasFocus(destination)).toBe(true);
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
      await page.context().close();
    },
    patience,
  );

  test(
    'says that the network is gone, keeps what was typed, and saves on another try',
    async () => {
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
      await page.context().close();
    },
    patience,
  );

  test(
    'says that it can not be loaded, and loads when asked again',
    async () => {
      const { page, link } = await open({ name: 'here again' });
      await page.route(`**/api/v1/link/${link.id}`, (route) =>
        route.fulfill({
          status: 503,
          json: { status_code: 503, error_code: 'STORE_AWAY', error_string: 'The database is away.' },
        }),
      );
      await page.reload();
      await page.getByText('The database is away.').waitFor();
      expect(await barriersOn(page)).toEqual([]);
      await page.unroute(`**/api/v1/link/${link.id}`);
      await page.getByRole('button', { name: 'Try again' }).click();
      await field(page, 'Name').waitFor();
      expect(await field(page, 'Name').inputValue()).toBe('here again');
      await page.context().close();
    },
    patience,
  );

  test(
    'asks for the session again in place when it has ended',
    async () => {
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
      await page.context().close();
    },
    patience,
  );

  test(
    'says when there is no such link',
    async () => {
      const { owner, page } = await open();
      const stranger = await open();
      await page.goto(`${app.url}/app/links/${stranger.link.id}`);
      await page.getByText('There is no such link').waitFor();
      await page.goto(`${app.url}/app/links/none`);
      await page.getByText('There is no such link').waitFor();
      expect(owner.organizationId).not.toBe(stranger.owner.organizationId);
      await Promise.all([page.context().close(), stranger.page.context().close()]);
    },
    patience,
  );
});

describe("somebody else's edit", () => {
  test(
    'is shown before anything is overwritten; mine is kept when I say so, with what only they changed',
    async () => {
      const { page, read, change } = await open({ name: 'before' });
      await field(page, 'Name').fill('mine');
      await change({ name: 'theirs', og_title: 'their title' });
      await page.keyboard.press('Control+s');
      const dialog = page.getByRole('dialog', { name: 'This link was changed by somebody else' });
      await dialog.waitFor();
      expect(await dialog.getByRole('row', { name: 'Name theirs mine' }).isVisible()).toBe(true);
      expect(await dialog.getByText('their title').isVisible()).toBe(true);
      expect(await barriersOn(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Back to editing' }).click();
      expect(await field(page, 'Name').inputValue()).toBe('mine');
      expect(await read()).toMatchObject({ name: 'theirs' });
      await page.keyboard.press('Control+s');
      await dialog.getByRole('button', { name: 'Keep mine' }).click();
      await page.getByText('Changes saved.').waitFor();
      expect(await read()).toMatchObject({ name: 'mine', og_title: 'their title' });
      expect(await field(page, 'Card title').inputValue()).toBe('their title');
      await page.context().close();
    },
    patience,
  );

  test(
    'takes the place of mine when I say so, and the rest of mine stays typed',
    async () => {
      const { page, read, change } = await open({ name: 'before' });
      await field(page, 'Name').fill('mine');
      await field(page, 'Card description').fill('only mine');
      await change({ name: 'theirs' });
      await page.keyboard.press('Control+s');
      await page.getByRole('dialog').getByRole('button', { name: 'Take theirs' }).click();
      expect(await field(page, 'Name').inputValue()).toBe('theirs');
      expect(await field(page, 'Card description').inputValue()).toBe('only mine');
      await save(page);
      expect(await read()).toMatchObject({ name: 'theirs', og_description: 'only mine' });
      await page.context().close();
    },
    patience,
  );

  test(
    'of other fields is named, and mine are saved beside it',
    async () => {
      const { page, read, change, owner } = await open({ password: 'old' });
      const tag = await app.call('POST', '/api/v1/tag', { key: owner.key, body: { name: 'theirs' } });
      await field(page, 'Name').fill('mine');
      await change({ add_tags: [tag.json.id], password: null, captcha: true });
      await page.keyboard.press('Control+s');
      const dialog = page.getByRole('dialog');
      for (const words of ['Tags: theirs', 'Password: no password', 'Captcha: on'])
        await dialog.getByText(words).waitFor();
      await page.keyboard.press('Escape');
      await unsaved(page).getByRole('button', { name: 'Show what changed' }).click();
      await dialog.getByRole('button', { name: 'Keep mine' }).click();
      await page.getByText('Changes saved.').waitFor();
      expect(await read()).toMatchObject({ name: 'mine', has_password: false, captcha: true });
      expect((await read()).tags).toHaveLength(1);
      await page.context().close();
    },
    patience,
  );

  test(
    'is not what an answer lost on its way looks like',
    async () => {
      const { page, read } = await open();
      await page.route('**/api/v1/link/*', async (route) => {
        if (route.request().method() !== 'PATCH') return route.fallback();
        await route.fetch();
        await route.abort();
      });
      await field(page, 'Name').fill('mine');
      await page.keyboard.press('Control+s');
      await unsaved(page).getByText("Linnet can't be reached.").waitFor();
      await page.unroute('**/api/v1/link/*');
      await unsaved(page).getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Changes saved.').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await read()).toMatchObject({ name: 'mine' });
      await page.context().close();
    },
    patience,
  );
});

describe('what is typed and not saved', () => {
  test(
    'is asked about before the page is left, and stays from tab to tab',
    async () => {
      const { page } = await open({ name: 'before' });
      await field(page, 'Name').fill('typed');
      await page.getByRole('link', { name: 'Webhook' }).click();
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
      await page.goBack();
      expect(await field(page, 'Name').inputValue()).toBe('typed');
      await page.getByRole('link', { name: 'Tags' }).click();
      const question = page.getByRole('dialog', { name: 'Leave this page?' });
      await question.getByText('are not saved: name.').waitFor();
      await question.getByRole('button', { name: 'Stay here' }).click();
      expect(await field(page, 'Name').inputValue()).toBe('typed');
      expect(
        await page.evaluate(
          "(() => { const leaving = new Event('beforeunload', { cancelable: true }); dispatchEvent(leaving); return leaving.defaultPrevented; })()",
        ),
      ).toBe(true);
      await page.getByRole('link', { name: 'Tags' }).click();
      await question.getByRole('button', { name: 'Discard changes' }).click();
      await page.waitForURL('**/app/tags');
      await page.context().close();
    },
    patience,
  );

  test(
    'stays typed while something else is on its way, and is saved after it',
    async () => {
      const { page, read } = await open();
      const arrived = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      await page.route('**/api/v1/link/*', async (route) => {
        if (route.request().method() === 'PATCH') {
          arrived.resolve();
          await released.promise;
        }
        await route.fallback();
      });
      await field(page, 'Name').fill('first');
      await field(page, 'Card title').fill('a title');
      await page.keyboard.press('Control+s');
      await page.keyboard.press('Control+s');
      await arrived.promise;
      await field(page, 'Name').fill('second');
      released.resolve();
      await unsaved(page).getByText('1 unsaved change').waitFor();
      await eventually(async () => (await read()).name === 'first', 'the first save');
      expect(await field(page, 'Name').inputValue()).toBe('second');
      await save(page);
      expect(await read()).toMatchObject({ name: 'second', og_title: 'a title' });
      await page.context().close();
    },
    patience,
  );

  test(
    'can be discarded, and the discarding undone',
    async () => {
      const { page } = await open({ name: 'before' });
      await field(page, 'Name').fill('typed');
      await unsaved(page).getByRole('button', { name: 'Discard' }).click();
      expect(await field(page, 'Name').inputValue()).toBe('before');
      await page.getByRole('button', { name: 'Undo' }).click();
      expect(await field(page, 'Name').inputValue()).toBe('typed');
      await field(page, 'Name').fill('before');
      expect(await unsaved(page).count()).toBe(0);
      await page.context().close();
    },
    patience,
  );
});

describe('the menu of a link', () => {
  test(
    'deletes it, and Undo brings it back',
    async () => {
      const { page, link, owner } = await open();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('button', { name: 'Delete link' }).click();
      await page.waitForURL('**/app');
      const path = `/api/v1/link/${link.id}`;
      expect((await app.call('GET', path, { key: owner.key })).status).toBe(404);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('1 link brought back.').waitFor();
      expect((await app.call('GET', path, { key: owner.key })).status).toBe(200);
      await page.context().close();
    },
    patience,
  );

  test(
    'duplicates it whole; a copy of a link with a password asks for one of its own',
    async () => {
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
      await page.context().close();
    },
    patience,
  );
});

async function decode(picture: Buffer): Promise<{ text: string | undefined; width: number }> {
  const image = await loadImage(picture);
  const size = Math.max(image.width, 400);
  const canvas = createCanvas(size, size);
  const pen = canvas.getContext('2d');
  pen.imageSmoothingEnabled = false;
  pen.drawImage(image, 0, 0, size, size);
  const { data, width, height } = pen.getImageData(0, 0, size, size);
  return { text: jsQR(new Uint8ClampedArray(data), width, height)?.data, width: image.width };
}

describe('the QR code', () => {
  test(
    'is shown as it will be before it is saved, and as it is afterwards',
    async () => {
      const { page, link, read } = await open();
      const shown = async () =>
        decodeURIComponent(
          (await page.getByAltText(`QR code of ${link.url.replace('http://', '')}`).getAttribute('src')) ??
            '',
        ).replace('data:image/svg+xml,', '');
      expect(await shown()).toBe(String((await read()).qr_code_svg));
      await field(page, 'Code').fill('#AABBCC');
      await page.getByText('These colours are close').waitFor();
      await field(page, 'Code').fill('#0B5345');
      await page.getByText('These colours are close').waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Swap' }).click();
      await page.getByText('Light on dark').waitFor();
      await page.getByRole('button', { name: 'Swap' }).click();
      await page.getByRole('switch', { name: 'Count scans apart' }).click();
      const before = await shown();
      expect((await decode(Buffer.from(before))).text).toBe(`${link.url}?qr`);
      await save(page);
      const saved = String((await read()).qr_code_svg);
      expect(saved).toContain('#0B5345');
      expect(before).toBe(saved);
      expect(await shown()).toBe(saved);
      await page.context().close();
    },
    patience,
  );

  test(
    'downloads as SVG and as PNG in each size, and each one reads',
    async () => {
      const { page, link } = await open({
        suffix: 'Frühling-🦊',
        qr_code_foreground_hex: '#7A1F3D',
        qr_code_background_hex: '#FDF6E3',
      });
      const downloaded = async (press: () => Promise<void>) => {
        const coming = page.waitForEvent('download');
        await press();
        const file = await coming;
        return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
      };
      const svg = await downloaded(() => page.getByRole('button', { name: 'Download SVG' }).click());
      expect(svg.name).toBe('Frühling.svg');
      expect((await decode(svg.bytes)).text).toBe(link.url);
      for (const size of [256, 512, 1024, 2048]) {
        const png = await downloaded(async () => {
          await page.getByRole('button', { name: 'Download PNG' }).click();
          await page.getByRole('button', { name: `${size} × ${size} pixels` }).click();
        });
        expect(png.name).toBe(`Frühling-${size}.png`);
        expect(await decode(png.bytes)).toEqual({ text: link.url, width: size });
      }
      await page.getByRole('button', { name: 'QR code', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'QR code' });
      const fromDialog = await downloaded(() => dialog.getByRole('button', { name: 'Download SVG' }).click());
      expect(fromDialog.bytes.equals(svg.bytes)).toBe(true);
      expect(await barriersOn(page)).toEqual([]);
      await page.context().close();
    },
    patience,
  );
});

describe('the webhook of a link', () => {
  test(
    'is tried, and shows what came of it; a delivery that failed is sent again and arrives',
    async () => {
      let isBroken = true;
      const target = startTarget(() =>
        isBroken ? new Response('the <b>kettle</b> is cold', { status: 500 }) : new Response('tea is ready'),
      );
      const { page, read } = await open({}, '/webhook');
      await page.getByText('Nothing was sent yet').waitFor();
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
      expect(await barriersOn(page)).toEqual([]);
      isBroken = false;
      await deliveries.getByRole('button', { name: 'Redeliver' }).click();
      await deliveries.getByText('Delivered').waitFor();
      await deliveries.getByText('tea is ready').waitFor();
      const ids = (await target.calls(2)).map(({ headers }) => headers['webhook-id']);
      expect(ids[0]).toBe(ids[1]);
      target.stop();
      await page.context().close();
    },
    patience,
  );

  test(
    'shows a click that was told by itself',
    async () => {
      const target = startTarget();
      const { page, link } = await open({ webhook_url: target.url }, '/webhook');
      await page.getByText('Nothing was sent yet').waitFor();
      await app.visit(new URL(link.url).pathname);
      await target.calls(1);
      await page.getByRole('button', { name: /Delivered Click Answered 200/ }).waitFor();
      target.stop();
      await page.context().close();
    },
    patience,
  );

  test(
    'says beside the field where a webhook may not go, and why a test has to wait',
    async () => {
      const target = startTarget();
      const { page } = await open({ webhook_url: target.url }, '/webhook');
      const address = field(page, 'Webhook address');
      await address.fill('http://nas.local/hook');
      await page.getByRole('button', { name: 'Save and send test call' }).click();
      await page.locator('[aria-invalid="true"]').waitFor();
      expect(await describedBy(address)).toMatch(/nas\.local|inside|public/);
      await address.fill(target.url);
      for (let times = 0; times < 10; times++) {
        const answered = page.waitForResponse('**/webhook_test');
        await page.getByRole('button', { name: 'Send test call' }).click();
        expect((await answered).status()).toBe(200);
        await page.locator('.test-call .callout.good').waitFor();
      }
      await page.getByRole('button', { name: 'Send test call' }).click();
      await page.getByText('Ten tests and redeliveries a minute').waitFor();
      target.stop();
      await page.context().close();
    },
    patience,
  );

  test(
    'hides its keys until they are asked for',
    async () => {
      const { page, read } = await open({ webhook_auth_key: 'whsec_c2VjcmV0' }, '/webhook');
      for (const label of ['Webhook key', 'Zapier key']) {
        expect(await field(page, label).getAttribute('type')).toBe('password');
        await page.getByRole('button', { name: `Show ${label}` }).click();
        expect(await field(page, label).getAttribute('type')).toBe('text');
      }
      expect(await field(page, 'Zapier key').inputValue()).toBe(String((await read()).zapier_key));
      expect(await field(page, 'Zapier key').isEditable()).toBe(false);
      await page.context().close();
    },
    patience,
  );
});

describe('a visitor', () => {
  test(
    'passes the password page by the password that was changed in the dashboard, and not by the old one',
    async () => {
      const { page, link } = await open({ password: 'the old one' });
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.keyboard.type('open sesame');
      await save(page);
      await page.getByRole('button', { name: 'Change password' }).waitFor();
      const destination = startTarget(() => new Response('arrived'));
      await field(page, 'Destination').fill(destination.url);
      await save(page);
      const visitor = await (await freshContext()).newPage();
      await visitor.goto(app.url + new URL(link.url).pathname);
      await visitor.getByLabel('Password').fill('the old one');
      await visitor.getByRole('button', { name: 'Open link' }).click();
      await visitor.getByRole('alert').waitFor();
      await visitor.getByLabel('Password').fill('open sesame');
      await visitor.getByRole('button', { name: 'Open link' }).click();
      await visitor.getByText('arrived').waitFor();
      expect(visitor.url()).toBe(destination.url);
      destination.stop();
      await Promise.all([visitor.context().close(), page.context().close()]);
    },
    patience,
  );

  test(
    'passes the captcha page that was turned on in the dashboard',
    async () => {
      const destination = startTarget(() => new Response('arrived'));
      const { page, link } = await open({ destination_url: destination.url });
      await page.getByRole('switch', { name: 'Captcha' }).click();
      await save(page);
      const visitor = await (await freshContext()).newPage();
      await visitor.goto(app.url + new URL(link.url).pathname);
      await visitor.getByRole('button', { name: 'Continue' }).click();
      await visitor.getByText('arrived').waitFor();
      expect(visitor.url()).toBe(destination.url);
      destination.stop();
      await Promise.all([visitor.context().close(), page.context().close()]);
    },
    patience,
  );
});

describe('the tabs of a link', () => {
  test(
    'have no barriers that a machine can find, in light and dark, wide and narrow',
    async () => {
      const target = startTarget();
      const { page, link, owner } = await open({
        name: 'n'.repeat(300),
        webhook_url: target.url,
        og_title: 'עברית '.repeat(30),
        password: 'secret',
        qr_code_foreground_hex: '#FFEE00',
      });
      await app.visit(new URL(link.url).pathname);
      await app.call('POST', `/api/v1/link/${link.id}/webhook_test`, { key: owner.key });
      for (const viewport of [
        { width: 1280, height: 900 },
        { width: 390, height: 844 },
      ]) {
        await page.setViewportSize(viewport);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          for (const tab of ['Statistics', 'Visits', 'Webhook', 'Details']) {
            await page.getByRole('navigation', { name: 'Link' }).getByRole('link', { name: tab }).click();
            await page.locator(`.tabs [aria-current="page"]`, { hasText: tab }).waitFor();
            await settled(page);
            if (tab === 'Webhook') await page.getByText('Test call').first().waitFor();
            expect({ tab, ...viewport, colorScheme, found: await barriersOn(page) }).toMatchObject({
              found: [],
            });
            const overflow = () =>
              page.evaluate<number>(
                'document.documentElement.scrollWidth - document.documentElement.clientWidth',
              );
            await eventually(async () => (await overflow()) <= 0, `${tab} to fit into ${viewport.width}`);
          }
        }
      }
      target.stop();
      await page.context().close();
    },
    patience * 2,
  );
});

describe('a script in a text', () => {
  const payload = `"><img src=x onerror="window.ran=1"><script>window.ran=1</script>javascript:window.ran=1`;

  test(
    'runs nowhere on the pages of its link, nor in the preview',
    async () => {
      const target = startTarget(() => new Response(payload, { status: 500 }));
      const { page, owner, link, change } = await open({ webhook_url: target.url });
      const tag = await app.call('POST', '/api/v1/tag', {
        key: owner.key,
        body: { name: payload.slice(0, 90) },
      });
      await change({ add_tags: [tag.json.id] });
      await page.reload();
      const text = payload.slice(0, 250);
      await field(page, 'Destination').fill(`https://example.com/?${text}`);
      for (const label of ['Name', 'Card title', 'Card description']) await field(page, label).fill(text);
      await field(page, 'Card picture').fill('javascript:window.ran=1');
      await page.getByText('How it looks when it is shared').waitFor();
      await page.getByRole('button', { name: 'Set a password' }).click();
      await page.keyboard.type(text);
      await field(page, 'Card picture').fill(`https://example.invalid/"onerror="window.ran=1`);
      await page.getByRole('link', { name: 'Webhook' }).click();
      await field(page, 'Webhook key').fill(text);
      await save(page);
      await page.getByRole('button', { name: 'Send test call' }).click();
      await page.locator('.test-call .callout.bad').waitFor();
      await page.getByRole('button', { name: /Test call/ }).click();
      await page.getByRole('heading', { name: 'What was sent' }).waitFor();
      await change({ name: `theirs ${text}` });
      await page.getByRole('link', { name: 'Details' }).click();
      await field(page, 'Name').fill('mine');
      await page.keyboard.press('Control+s');
      await page.getByRole('dialog').waitFor();
      await page.getByRole('button', { name: 'Take theirs' }).click();
      for (const tab of ['/stats', '/visits', '/webhook', '']) {
        await page.goto(`${app.url}/app/links/${link.id}${tab}`);
        await page.getByRole('navigation', { name: 'Link' }).waitFor();
        await settled(page);
        expect(await page.evaluate("'ran' in window")).toBe(false);
        expect(await page.locator('main script, main [onerror]').count()).toBe(0);
      }
      target.stop();
      await page.context().close();
    },
    patience,
  );
});
