import type { Page } from 'playwright-core';

/** Follows a dashboard link to `path` by client-side navigation. */
export async function followLink(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    const anchor = document.createElement('a');
    anchor.href = to;
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
  }, path);
}

/** A page that asks before it is left asks no more a moment after what it asked about is gone. */
export async function waitUntilLeavable(page: Page): Promise<void> {
  await page.waitForFunction(() => dispatchEvent(new Event('beforeunload', { cancelable: true })));
}
