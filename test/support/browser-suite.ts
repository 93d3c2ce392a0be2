import { afterAll, expect } from 'bun:test';
import { startApp, type TestApp } from './app.ts';
import { closeContexts } from './browser.ts';

/** The app that a suite looks at in a browser. After its last test the app is stopped, and has logged no error. */
export async function appOfSuite(options?: Parameters<typeof startApp>[0]): Promise<TestApp> {
  const app = await startApp(options);
  afterAll(async () => {
    await closeContexts();
    await app.stop();
    expect(app.faults).toEqual([]);
  });
  return app;
}
