import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations, contrastViolations } from '../support/browser.ts';

/** Expects no accessibility violations on a desktop and on a phone, light and dark, and no horizontal scrolling. */
export async function expectNoBarriers(page: Page): Promise<void> {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.emulateMedia({ colorScheme: 'light' });
    expect({ width, barriers: await accessibilityViolations(page) }).toEqual({ width, barriers: [] });
    await page.emulateMedia({ colorScheme: 'dark' });
    expect({ width, dark: await contrastViolations(page) }).toEqual({ width, dark: [] });
  }
}
