import { checkDueDomains } from '../manage/check-due-domains.ts';
import type { Context } from '../manage/context.ts';
import { tellExpiries } from '../manage/tell-expiries.ts';
import { tidyUp } from '../manage/tidy-up.ts';
import { StoreAway } from '../rules/errors.ts';
import type { Deliverer } from '../webhooks/deliver.ts';
import { regularly } from './regularly.ts';
import type { Start } from './start.ts';
import type { Clicks } from './visitors.ts';

const tidyInterval = 60 * 60 * 1000;
const expiryInterval = 15_000;
const domainInterval = 2_000;

/** What is done again and again without being asked for. */
export function startDuties({ overrides, log, opened }: Start, context: Context, deliverer: Deliverer): void {
  const tidying = regularly(
    () => tidyUp(context),
    tidyInterval,
    (cause) => log.warn('tidying failed', { error: String(cause) }),
  );
  opened.defer(() => tidying.stop());
  deliverer.start();
  opened.defer(() => deliverer.stop());
  const expiries = regularly(
    () => tellExpiries(context),
    overrides.expiryInterval ?? expiryInterval,
    (cause) => log.warn('expiries not told', { error: String(cause) }),
  );
  opened.defer(() => expiries.stop());
  const domainChecks = regularly(
    () => checkDueDomains(context),
    overrides.domainInterval ?? domainInterval,
    // That the store is away is said often enough by whoever reads the change feed.
    (cause) => cause instanceof StoreAway || log.error('domains not checked', cause),
  );
  opened.defer(() => {
    context.domains.close();
    return domainChecks.stop();
  });
}

export function keepClicksTidy({ opened }: Start, clicks: Clicks): void {
  const tidying = setInterval(() => clicks.tidy(), tidyInterval);
  opened.defer(() => clearInterval(tidying));
}
