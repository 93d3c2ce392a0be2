import { afterAll, afterEach, expect } from 'bun:test';
import { startApp, type TestApp } from './app.ts';
import { closeContexts, releaseContexts } from './browser.ts';

/**
 * The app that a browser suite uses. After each test its pages are released, and after the last test the app is stopped;
 * it must have logged no error.
 */
export async function appOfSuite(options?: Parameters<typeof startApp>[0]): Promise<TestApp> {
  const app = await startApp(options);
  afterEach(releaseContexts);
  afterAll(async () => {
    await closeContexts();
    await app.stop();
    expect(app.faults).toEqual([]);
  });
  return app;
}
