import { captchaScript } from '../visit/gates/captcha-script.ts';
import { dashboardBundle } from './dashboard-route.ts';
import type { Start } from './start.ts';

/** Milliseconds. The start has more urgent work, and a request for a page bundles it at once. */
const delay = 1_000;

/** Bundles the browser's files before the first request: their packages may have been removed from the disk by then. */
export function bundleEarly({ log, opened }: Start): void {
  const timer = setTimeout(async () => {
    const logFailure = (event: string) => (cause: unknown) => log.error(event, cause);
    await dashboardBundle.get(logFailure('dashboard not bundled')).catch(() => {});
    await captchaScript.get(logFailure('captcha script not bundled')).catch(() => {});
  }, delay);
  opened.defer(() => clearTimeout(timer));
}
