import { expect, test } from 'bun:test';
import { startBrowser } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';

const app = await appOfSuite();

test('a browser that does not know its time zone shows the times of UTC', async () => {
  const { email, password, key } = await app.createAccount();
  const link = await app.createLink({ key });
  await app.visit(link.url);
  await app.app.clicks.settled();
  const browser = await startBrowser({ TZ: 'Nowhere/Unknown' });
  try {
    const page = await browser.newPage();
    const zone = () => page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(await zone()).toBe('Etc/Unknown');
    await page.context().request.post(`${app.url}/api/v1/session`, { data: { email, password } });
    await page.goto(`${app.url}/app/stats`);
    await page.getByText('1 click in 30 days').first().waitFor();
    await page.getByText('Times are those of UTC.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  } finally {
    await browser.close();
  }
});
