import { describe, expect, test } from 'bun:test';
import { accessibilityViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';
import { followLink } from './follow-link.ts';
import { holdBack } from './held-requests.ts';
import { field, save, unsaved } from './link-page.ts';
import { linksInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = linksInOnePage(app);

describe("another user's edit", () => {
  test('is shown before anything is overwritten; mine is kept on request, with the fields that only the other user changed', async () => {
    const { page, read, change } = await open({ name: 'before' });
    await field(page, 'Name').fill('mine');
    await change({ name: 'theirs', og_title: 'their title' });
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'This link was changed by someone else' });
    await dialog.waitFor();
    expect(await dialog.getByRole('row', { name: 'Name theirs mine' }).isVisible()).toBe(true);
    expect(await dialog.getByText('their title').isVisible()).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Back to editing' }).click();
    expect(await field(page, 'Name').inputValue()).toBe('mine');
    expect(await read()).toMatchObject({ name: 'theirs' });
    await page.keyboard.press('Control+s');
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText('Changes saved.').waitFor();
    expect(await read()).toMatchObject({ name: 'mine', og_title: 'their title' });
    expect(await field(page, 'Card title').inputValue()).toBe('their title');
  });

  test('replaces mine on request, and my other unsaved input is kept', async () => {
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
  });

  test('of other fields is shown, and mine is saved as well', async () => {
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
  });

  test('is not confused with a lost response', async () => {
    const { page, read } = await open();
    await page.route('**/api/v1/link/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      await route.fetch();
      await route.abort();
    });
    await field(page, 'Name').fill('mine');
    // The server stores it with a scheme.
    await field(page, 'Destination').fill('example.com/mine');
    await page.keyboard.press('Control+s');
    await unsaved(page).getByText("Linnet can't be reached.").waitFor();
    await page.unroute('**/api/v1/link/*');
    await unsaved(page).getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Changes saved.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await read()).toMatchObject({ name: 'mine', destination_url: 'https://example.com/mine' });
  });
});

describe('unsaved input', () => {
  test('of a link that is deleted meanwhile is kept, and saved once the link is restored', async () => {
    const { page, owner, link, read } = await open({ name: 'before' });
    await field(page, 'Name').fill('mine');
    await app.call('DELETE', `/api/v1/link/${link.id}`, { key: owner.key });
    await page.keyboard.press('Control+s');
    await unsaved(page).getByText('the link was deleted in the meantime').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    const binLink = unsaved(page).getByRole('link', { name: 'Show deleted links' });
    // In another window, so that the input stays.
    expect([await binLink.getAttribute('href'), await binLink.getAttribute('target')]).toEqual([
      '/app/links/deleted',
      '_blank',
    ]);
    await app.call('POST', '/api/v1/link/restore', { key: owner.key, body: { ids: [link.id] } });
    await save(page);
    expect(await read()).toMatchObject({ name: 'mine' });
  });

  test('can be saved in a window of 320 pixels', async () => {
    const { page } = await open();
    await page.setViewportSize({ width: 320, height: 640 });
    await field(page, 'Name').fill('mine');
    const save = unsaved(page).getByRole('button', { name: 'Save changes' });
    await save.waitFor();
    const { x = 0, width = 0 } = (await save.boundingBox()) ?? {};
    expect(x + width).toBeLessThan(320);
  });

  test('hides no field that gets the focus below the bar that saves it, at 200 % zoom', async () => {
    const { page } = await open();
    await page.setViewportSize({ width: 640, height: 360 });
    await field(page, 'Name').fill('mine');
    await unsaved(page).waitFor();
    const isAboveBar = () =>
      page.evaluate(() => {
        const top = document.querySelector('.save-bar')?.getBoundingClientRect().top ?? 0;
        return (document.activeElement?.getBoundingClientRect().bottom ?? 0) <= top;
      });
    for (const name of ['Notes', 'Suffix']) {
      while (!(await field(page, name).evaluate((element) => element === document.activeElement))) {
        await page.keyboard.press('Tab');
        await eventually(isAboveBar, 'the focused field is above the bar');
      }
    }
  });

  test('is asked about before the page is left, and is kept between tabs', async () => {
    const { page } = await open({ name: 'before' });
    await field(page, 'Name').fill('typed');
    await page.getByRole('link', { name: 'Webhook' }).click();
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await page.goBack();
    expect(await field(page, 'Name').inputValue()).toBe('typed');
    await page.getByRole('link', { name: 'Scheduled' }).click();
    await page.getByRole('link', { name: 'Show the details' }).click();
    expect(await field(page, 'Name').inputValue()).toBe('typed');
    await page.getByRole('link', { name: 'Tags' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Leave this page?' });
    await confirmation.getByText('are not saved: name.').waitFor();
    await confirmation.getByRole('button', { name: 'Stay here' }).click();
    expect(await field(page, 'Name').inputValue()).toBe('typed');
    expect(
      await page.evaluate(
        "(() => { const leaving = new Event('beforeunload', { cancelable: true }); dispatchEvent(leaving); return leaving.defaultPrevented; })()",
      ),
    ).toBe(true);
    await page.getByRole('link', { name: 'Tags' }).click();
    await confirmation.getByRole('button', { name: 'Discard changes' }).click();
    await page.waitForURL('**/app/tags');
  });

  test('can be discarded to go back, and a further step back leads past the page that was left', async () => {
    const { page, link } = await open();
    await followLink(page, '/app/tags');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Domains' }).click();
    await page.keyboard.press('Control+k');
    await page.locator('.palette input:focus').waitFor();
    await page.keyboard.type(link.suffix);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/app/links/${link.id}`);
    await field(page, 'Name').fill('typed');
    await page.goBack();
    const dialog = page.getByRole('dialog', { name: 'Leave this page?' });
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    expect(await field(page, 'Name').inputValue()).toBe('typed');
    await page.goBack();
    await dialog.getByRole('button', { name: 'Discard changes' }).click();
    await page.waitForURL('**/app/domains');
    await page.goBack();
    await page.waitForURL('**/app/tags');
    await page.getByRole('heading', { name: 'Tags', level: 1 }).waitFor();
  });

  test('is asked about before the user signs out, not afterwards', async () => {
    const { page } = await open();
    await field(page, 'Name').fill('typed');
    const signOut = async () => {
      await page.getByRole('button', { name: 'My account' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
    };
    await signOut();
    const dialog = page.getByRole('dialog', { name: 'Leave this page?' });
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    await save(page);
    await field(page, 'Name').fill('typed again');
    await signOut();
    await dialog.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await dialog.count()).toBe(0);
  });

  test('stays while another request is in progress, and is saved after it', async () => {
    const { page, read } = await open();
    const { arrived, release } = await holdBack(page, '**/api/v1/link/*', { method: 'PATCH' });
    await field(page, 'Name').fill('first');
    await field(page, 'Card title').fill('a title');
    await page.keyboard.press('Control+s');
    await page.keyboard.press('Control+s');
    await arrived;
    await field(page, 'Name').fill('second');
    release();
    await unsaved(page).getByText('1 unsaved change').waitFor();
    await eventually(async () => (await read()).name === 'first', 'the first save');
    expect(await field(page, 'Name').inputValue()).toBe('second');
    await save(page);
    expect(await read()).toMatchObject({ name: 'second', og_title: 'a title' });
  });

  test('that is taken back while it is being saved is saved as it was', async () => {
    const { page, read } = await open({ name: 'before' });
    const { arrived, release } = await holdBack(page, '**/api/v1/link/*', { method: 'PATCH' });
    await field(page, 'Name').fill('typo');
    await field(page, 'Notes').fill('a note');
    await page.keyboard.press('Control+s');
    await arrived;
    await field(page, 'Name').fill('before');
    release();
    await unsaved(page).getByText('1 unsaved change').waitFor();
    await eventually(async () => (await read()).name === 'typo', 'the first save');
    expect(await field(page, 'Name').inputValue()).toBe('before');
    await save(page);
    expect(await read()).toMatchObject({ name: 'before', notes: 'a note' });
  });

  test('that is taken back while a save fails is no change', async () => {
    const { page } = await open({ name: 'before' });
    const { arrived, release } = await holdBack(page, '**/api/v1/link/*', { method: 'PATCH', fails: true });
    await field(page, 'Name').fill('typo');
    await page.keyboard.press('Control+s');
    await arrived;
    await field(page, 'Name').fill('before');
    release();
    await unsaved(page).waitFor({ state: 'detached' });
    expect(await field(page, 'Name').inputValue()).toBe('before');
  });

  test('can be discarded, and restored afterwards', async () => {
    const { page } = await open({ name: 'before' });
    await field(page, 'Name').fill('typed');
    await unsaved(page).getByRole('button', { name: 'Discard' }).click();
    expect(await field(page, 'Name').inputValue()).toBe('before');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await field(page, 'Name').inputValue()).toBe('typed');
    await field(page, 'Name').fill('before');
    expect(await unsaved(page).count()).toBe(0);
  });
});
