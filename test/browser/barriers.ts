import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/browser.ts';

/** Expects no accessibility violations, light on a desktop and dark on a phone, and no horizontal scrolling. */
export async function expectNoBarriers(page: Page): Promise<void> {
  // Colours are the same at every width, and the parts of a width in both schemes.
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect({ width, barriers: await accessibilityViolations(page) }).toEqual({ width, barriers: [] });
  }
}
