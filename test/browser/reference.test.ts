import { afterAll, expect, test } from 'bun:test';
import { accessibilityViolations, freshContext } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';

const app = await appOfSuite();
const contexts: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const context of contexts) await context.close();
});

const screens = [
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 320, height: 568, colorScheme: 'dark' },
] as const;

test.each([...screens])(
  'the reference passes the accessibility check at $width by $height, $colorScheme',
  async (screen) => {
    const { colorScheme, ...viewport } = screen;
    const context = await freshContext({ viewport, colorScheme });
    contexts.push(context);
    const page = await context.newPage();
    await page.goto(`${app.url}/docs`);
    expect(await accessibilityViolations(page)).toEqual([]);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(viewport.width);
  },
);

test('its example can be scrolled by keyboard if it is wider than the screen', async () => {
  const context = await freshContext({ viewport: { width: 320, height: 568 } });
  contexts.push(context);
  const page = await context.newPage();
  await page.goto(`${app.url}/docs`);
  const example = page.getByRole('region', { name: 'Example of a call' });
  const isWide = (element: Element) => element.scrollWidth > element.clientWidth;
  expect(await example.evaluate(isWide)).toBe(true);
  await example.focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => (document.querySelector('pre')?.scrollLeft ?? 0) > 0);
});
