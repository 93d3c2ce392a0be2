import { afterAll, expect } from 'bun:test';
import { startApp, type TestApp } from './app.ts';
import { closeBrowser } from './browser.ts';

/** The app that a suite looks at in a browser. When its last test is over both end, and nothing has gone wrong inside unseen. */
export async function appOfSuite(options?: Parameters<typeof startApp>[0]): Promise<TestApp> {
  const app = await startApp(options);
  afterAll(async () => {
    await closeBrowser();
    await app.stop();
    expect(app.faults).toEqual([]);
  });
  return app;
}
