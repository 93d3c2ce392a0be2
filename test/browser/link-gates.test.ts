import { describe, expect, test } from 'bun:test';
import { signedOutPage } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { startTarget } from '../support/webhook-target.ts';
import { save } from './link-page.ts';
import { linksInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = linksInOnePage(app);

describe('a visitor', () => {
  test('passes the password page with the password changed in the dashboard, not with the old one', async () => {
    const destination = startTarget(() => new Response('arrived'));
    const { page, link } = await open({ destination_url: destination.url, password: 'the old one' });
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('open sesame');
    await save(page);
    const visitor = await signedOutPage(app, new URL(link.url).pathname);
    await visitor.getByLabel('Password').fill('the old one');
    await visitor.getByRole('button', { name: 'Open link' }).click();
    await visitor.getByRole('alert').waitFor();
    await visitor.getByLabel('Password').fill('open sesame');
    await visitor.getByRole('button', { name: 'Open link' }).click();
    await visitor.getByText('arrived').waitFor();
    expect(visitor.url()).toBe(destination.url);
    destination.stop();
  });

  test('passes the captcha page that was turned on in the dashboard', async () => {
    const destination = startTarget(() => new Response('arrived'));
    const { page, link } = await open({ destination_url: destination.url });
    await page.getByRole('switch', { name: 'Captcha' }).click();
    await save(page);
    const visitor = await signedOutPage(app, new URL(link.url).pathname);
    await visitor.getByRole('button', { name: 'Continue' }).click();
    await visitor.getByText('arrived').waitFor();
    expect(visitor.url()).toBe(destination.url);
    destination.stop();
  });

  test('who came from a site, and goes back after password and captcha, is not asked to send the form again', async () => {
    const destination = startTarget(() => new Response('arrived'));
    const owner = await app.createAccount();
    const fields = { destination_url: destination.url, password: 'sesame', captcha: true };
    const { path } = await app.createLink(owner, fields);
    const visitor = await signedOutPage(app, '/robots.txt');
    await visitor.goto(app.url + path, { referer: 'https://shop.example/' });
    await visitor.getByLabel('Password').fill('sesame');
    await visitor.getByRole('button', { name: 'Open link' }).click();
    await visitor.getByRole('button', { name: 'Continue' }).click();
    await visitor.getByText('arrived').waitFor();
    await visitor.goBack();
    await visitor.getByRole('button', { name: 'Continue' }).waitFor();
    destination.stop();
  });

  test('who comes back to a captcha page that the browser has kept gets a new one', async () => {
    const owner = await app.createAccount();
    const fields = { destination_url: 'https://shop.example/', password: 'sesame', captcha: true };
    const { path } = await app.createLink(owner, fields);
    const visitor = await signedOutPage(app, '/robots.txt');
    await visitor.goto(app.url + path, { referer: 'https://shop.example/' });
    await visitor.getByLabel('Password').fill('sesame');
    await visitor.getByRole('button', { name: 'Open link' }).click();
    const button = visitor.getByRole('button', { name: 'Continue' });
    await button.waitFor();
    const challenge = () => visitor.locator('form').getAttribute('data-challenge');
    const before = await challenge();
    const loaded = visitor.waitForRequest(app.url + path);
    // The tests' browser keeps no pages: this is what one that does tells the page, which it left after a click.
    await visitor.evaluate(() => {
      document.querySelector('button')?.setAttribute('disabled', '');
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    });
    expect((await loaded).method()).toBe('GET');
    await visitor.waitForLoadState();
    expect(await challenge()).not.toBe(before);
    expect(await button.isEnabled()).toBe(true);
  });
});
