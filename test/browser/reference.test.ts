import { expect, test } from 'bun:test';
import { accessibilityViolations, freshContext } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';

const app = await appOfSuite();
const wide = { width: 1280, height: 800 };
const narrow = { width: 320, height: 568 };

/** Leaves the operations and schemas that have an element unlike all before: other attributes, another parent, or no content. */
function removeRepetitions(): void {
  const seen = new Set<string>();
  const kindOf = ({ parentElement, tagName, attributes, className, childNodes }: Element) =>
    [
      parentElement?.tagName,
      tagName,
      className,
      childNodes.length === 0,
      ...[...attributes].map(({ name }) => name),
    ].join();
  for (const part of document.querySelectorAll('article, nav li')) {
    const kinds = [part, ...part.querySelectorAll('*')].map(kindOf);
    if (kinds.every((kind) => seen.has(kind))) part.remove();
    for (const kind of kinds) seen.add(kind);
  }
}

test('the reference passes the accessibility check, light on a desktop and dark in a narrow window, where its example is scrolled by keyboard', async () => {
  const page = await (await freshContext({ viewport: wide })).newPage();
  await page.goto(`${app.url}/docs`);
  const scrollWidth = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await scrollWidth()).toBeLessThanOrEqual(wide.width);
  await page.setViewportSize(narrow);
  expect(await scrollWidth()).toBeLessThanOrEqual(narrow.width);
  await page.evaluate(removeRepetitions);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await accessibilityViolations(page)).toEqual([]);
  const example = page.getByRole('region', { name: 'Example of a call' });
  const isWide = (element: Element) => element.scrollWidth > element.clientWidth;
  expect(await example.evaluate(isWide)).toBe(true);
  await example.focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => (document.querySelector('pre')?.scrollLeft ?? 0) > 0);
  await page.setViewportSize(wide);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await accessibilityViolations(page)).toEqual([]);
});
