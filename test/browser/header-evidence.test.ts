import { afterAll, expect, test } from 'bun:test';
import { browserUserAgent } from '../support/app.ts';
import { freshContext } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';

const app = await appOfSuite();
const owner = await app.createAccount();

/** The HTML of a third-party page. */
let siteHtml = '';
const site = Bun.serve({
  port: 0,
  fetch: () => new Response(siteHtml, { headers: { 'content-type': 'text/html' } }),
});
afterAll(() => site.stop(true));
const siteUrl = `http://people.example:${site.port}/`;

async function createLink(fields: object): Promise<{ readonly id: number; readonly url: string }> {
  const body = { destination_url: siteUrl, ...fields };
  return (await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body })).json;
}

interface Hit {
  readonly class: string;
  readonly reason: string;
  readonly outcome: string;
  readonly referrer: string | null;
  readonly utm_source: string | null;
}

async function hitsOf(id: number, count: number): Promise<Hit[]> {
  const read = async () =>
    (await app.call('GET', `/api/v1/link/${id}/clicks?class=all`, { key: owner.key })).json.clicks as Hit[];
  await eventually(async () => (await read()).length >= count, 'the hits');
  return read();
}

/** The default user agent of headless Chromium says that it is headless; here it must be classified as a human. */
const newPage = async () => (await freshContext({ userAgent: browserUserAgent })).newPage();

test("a browser's headers distinguish opening a page from loading a resource", async () => {
  const [opened, picture, script, fetched] = await Promise.all([0, 1, 2, 3].map(() => createLink({})));
  if (!opened || !picture || !script || !fetched) throw new Error('no links');
  siteHtml = `<a href="${opened.url}">Open</a><img src="${picture.url}"><script src="${script.url}"></script>
    <script>fetch('${fetched.url}', { mode: 'no-cors' }).catch(() => {})</script>`;
  const page = await newPage();
  await page.goto(siteUrl);
  for (const { id } of [picture, script, fetched])
    expect(await hitsOf(id, 1)).toEqual([
      expect.objectContaining({ class: 'bot', reason: 'not_navigation' }),
    ]);
  siteHtml = 'There';
  await page.getByRole('link', { name: 'Open' }).click();
  expect(await hitsOf(opened.id, 1)).toEqual([
    expect.objectContaining({ class: 'human', reason: 'browser', referrer: 'people.example' }),
  ]);
});

test('the password page keeps the referrer', async () => {
  const link = await createLink({ password: 'sesame' });
  siteHtml = `<a href="${link.url}?utm_source=letter">Open</a>`;
  const page = await newPage();
  await page.goto(siteUrl);
  await page.getByRole('link', { name: 'Open' }).click();
  await page.getByLabel('Password').fill('barley');
  await page.getByRole('button', { name: 'Open link' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill('sesame');
  await page.getByRole('button', { name: 'Open link' }).click();
  await page.waitForURL(siteUrl);
  const [click] = (await hitsOf(link.id, 3)).filter(({ outcome }) => outcome === 'redirect');
  expect(click).toEqual(
    expect.objectContaining({ class: 'human', referrer: 'people.example', utm_source: 'letter' }),
  );
});

test.each(['prefetch', 'prerender'])(
  'a prefetched link (%s) is a click once it is opened',
  async (action) => {
    const link = await createLink({});
    const rules = JSON.stringify({ [action]: [{ urls: [link.url], eagerness: 'immediate' }] });
    siteHtml = `<script type="speculationrules">${rules}</script><a href="${link.url}">Open</a>`;
    const page = await newPage();
    await page.goto(siteUrl);
    expect(await hitsOf(link.id, 1)).toEqual([
      expect.objectContaining({ class: 'prefetch', reason: 'purpose_header' }),
    ]);
    siteHtml = 'There';
    await page.getByRole('link', { name: 'Open' }).click();
    await page.getByText('There').waitFor();
    const hits = await hitsOf(link.id, 2);
    expect(hits.map((hit) => hit.class).sort()).toEqual(['human', 'prefetch']);
  },
);
