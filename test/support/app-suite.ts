import { afterAll, beforeAll, expect } from 'bun:test';
import { startApp, type TestAccount, type TestApp } from './app.ts';

type StartOptions = Parameters<typeof startApp>[0];

/** An app for the tests of a file or a `describe`. It is started before the first of them, and must not have logged errors at the end. */
export function appForSuite(options: StartOptions = {}): TestApp {
  const app = {} as TestApp;
  beforeAll(async () => {
    Object.assign(app, await startApp(options));
  });
  afterAll(async () => {
    await app.stop();
    expect(app.faults).toEqual([]);
  });
  return app;
}

/** The same, with an account. */
export function appWithOwner(options: StartOptions = {}): {
  readonly app: TestApp;
  readonly owner: TestAccount;
} {
  const app = appForSuite(options);
  const owner = {} as TestAccount;
  beforeAll(async () => {
    Object.assign(owner, await app.createAccount());
  });
  return { app, owner };
}
