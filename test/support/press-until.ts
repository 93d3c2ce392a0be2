import type { Locator, Page } from 'playwright-core';

/** Presses the key until `expected` is visible, because there is no sign of when the page has started to handle keys. */
export async function pressUntil(page: Page, key: string, expected: Locator): Promise<void> {
  do await page.keyboard.press(key);
  while (!(await expected.isVisible()));
}
