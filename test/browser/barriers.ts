import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/browser.ts';

type View = readonly [colorScheme: 'light' | 'dark', width: number, height: number];

// Colours are the same at every width, and the parts of a width in both schemes.
const desktopAndPhone: readonly View[] = [
  ['light', 1280, 844],
  ['dark', 390, 844],
];

/** Expects no accessibility violations and no horizontal scrolling: light on a desktop and dark on a phone, or in the given views. */
export async function expectNoBarriers(page: Page, state = '', ...views: readonly View[]): Promise<void> {
  for (const [colorScheme, width, height] of views.length > 0 ? views : desktopAndPhone) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect([state, width, await accessibilityViolations(page)]).toEqual([state, width, []]);
  }
}
