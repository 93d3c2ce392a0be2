import { captchaScript } from '../visit/gates/captcha-script.ts';
import { dashboardBundle } from './dashboard-route.ts';
import type { Start } from './start.ts';

/** A start has more urgent things to do, and who asks for a page before has it bundled at once. */
const delay = 1_000;

/** What browsers get is bundled before they ask for it: the packages that it is made of may be gone by then. */
export function bundleEarly({ log, opened }: Start): void {
  const timer = setTimeout(async () => {
    const logged = (event: string) => (cause: unknown) => log.error(event, cause);
    await dashboardBundle.get(logged('dashboard not bundled')).catch(() => {});
    await captchaScript.get(logged('captcha script not bundled')).catch(() => {});
  }, delay);
  opened.defer(() => clearTimeout(timer));
}
