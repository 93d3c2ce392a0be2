import type { Locator, Page } from 'playwright-core';

/** Presses the key until `sign` shows: nothing announces when the page has started to handle keys. */
export async function pressUntil(page: Page, key: string, sign: Locator): Promise<void> {
  do await page.keyboard.press(key);
  while (!(await sign.isVisible()));
}
