import { expect, test } from 'bun:test';
import { accessibilityViolations, freshContext } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';

const app = await appOfSuite();
const narrow = { width: 320, height: 568 };

test('the reference passes the accessibility check, light on a desktop and dark in a narrow window, where its example is scrolled by keyboard', async () => {
  const page = await (await freshContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(`${app.url}/docs`);
  expect(await accessibilityViolations(page)).toEqual([]);
  const scrollWidth = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await scrollWidth()).toBeLessThanOrEqual(1280);
  await page.setViewportSize(narrow);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await scrollWidth()).toBeLessThanOrEqual(narrow.width);
  // One operation or schema in five is enough here: the others were checked above, and have the same colours and elements.
  await page.evaluate(() => {
    for (const other of document.querySelectorAll('article:not(:nth-of-type(5n + 1))')) other.remove();
  });
  expect(await accessibilityViolations(page)).toEqual([]);
  const example = page.getByRole('region', { name: 'Example of a call' });
  const isWide = (element: Element) => element.scrollWidth > element.clientWidth;
  expect(await example.evaluate(isWide)).toBe(true);
  await example.focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => (document.querySelector('pre')?.scrollLeft ?? 0) > 0);
});
