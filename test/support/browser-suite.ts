import { afterAll, expect } from 'bun:test';
import { startApp, type TestApp } from './app.ts';
import { closeContexts } from './browser.ts';

/** The app that a browser suite uses. After the last test it is stopped, and must have logged no error. */
export async function appOfSuite(options?: Parameters<typeof startApp>[0]): Promise<TestApp> {
  const app = await startApp(options);
  afterAll(async () => {
    await closeContexts();
    await app.stop();
    expect(app.faults).toEqual([]);
  });
  return app;
}
