import type { Locator, Page } from 'playwright-core';

/** Presses a key until it shows: it does its work from the moment that the page has drawn itself, which nothing announces. */
export async function pressUntil(page: Page, key: string, sign: Locator): Promise<void> {
  do await page.keyboard.press(key);
  while (!(await sign.isVisible()));
}
