import type { Page } from 'playwright-core';

interface Held {
  /** Once the first request has come. */
  readonly arrived: Promise<void>;
  readonly release: () => void;
}

/** Holds requests back until they are released; then they go on, or fail. */
export async function holdBack(
  page: Page,
  path: string,
  { method = 'POST', fails = false }: { readonly method?: string; readonly fails?: boolean } = {},
): Promise<Held> {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    arrived.resolve();
    await released.promise;
    await (fails ? route.abort() : route.fallback());
  });
  return { arrived: arrived.promise, release: released.resolve };
}

/** Loses the answer to the first creation (or call of another method), which is carried out. */
export async function loseFirstAnswer(page: Page, path: string, method = 'POST'): Promise<void> {
  let isFirst = true;
  await page.route(path, async (route) => {
    if (route.request().method() !== method || !isFirst) return route.fallback();
    isFirst = false;
    await route.fetch();
    await route.abort();
  });
}
