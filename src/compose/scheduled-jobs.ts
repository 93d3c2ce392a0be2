import { sweepWords } from '../ledger/retention/sweep-words.ts';
import { applyScheduled } from '../manage/apply-scheduled.ts';
import { checkDueDomains } from '../manage/check-due-domains.ts';
import { cleanUp } from '../manage/clean-up.ts';
import { DeletedOrganizations } from '../manage/clear-organizations.ts';
import type { Context } from '../manage/context.ts';
import { continueCorrections } from '../manage/correct-clicks.ts';
import { mailRefusals } from '../manage/mail-refusals.ts';
import { PageFetcher } from '../manage/page-fetcher.ts';
import { sendExpiries } from '../manage/send-expiries.ts';
import { mailOutages } from '../manage/webhook-outages.ts';
import { StoreUnavailable } from '../rules/errors.ts';
import type { Deliverer } from '../webhooks/deliver.ts';
import type { Clicks } from './data-plane.ts';
import { startDestinationWatch } from './destination-watch.ts';
import { repeatJob } from './repeat-job.ts';
import type { Start } from './start.ts';

const cleanUpInterval = 60 * 60 * 1000;
const expiryInterval = 15_000;
/** Changes are promised within a second of their instant. */
const scheduledInterval = 250;
const pageInterval = 500;
const refusalInterval = 10_000;
const outageInterval = 10 * 60 * 1000;
const domainInterval = 2_000;
const correctionInterval = 1_000;
const sweepInterval = 5_000;
const clearingInterval = 2_000;

/** Starts the jobs of the control plane that run at intervals. */
export function startScheduledJobs(start: Start, context: Context, deliverer: Deliverer): void {
  const { config, overrides, log, opened } = start;
  const repeat = (work: () => Promise<void>, interval: number, onFault: (cause: unknown) => void) => {
    const job = repeatJob(work, interval, onFault);
    opened.defer(() => job.stop());
  };
  repeat(
    () => cleanUp(context),
    cleanUpInterval,
    (cause) => log.warn('tidying failed', { error: String(cause) }),
  );
  const deletedOrganizations = new DeletedOrganizations(context);
  repeat(
    () => deletedOrganizations.clear(),
    overrides.clearInterval ?? clearingInterval,
    (cause) => cause instanceof StoreUnavailable || log.error('organization not cleared away', cause),
  );
  deliverer.start();
  opened.defer(() => deliverer.stop());
  repeat(
    () => sendExpiries(context),
    overrides.expiryInterval ?? expiryInterval,
    (cause) => log.warn('expiries not told', { error: String(cause) }),
  );
  repeat(
    () =>
      applyScheduled(context, {
        onRefused: (facts) => log.warnEach('scheduled change not applied', facts),
        onFault: (cause, facts) => log.error('scheduled change failed', cause, facts),
      }),
    overrides.scheduledInterval ?? scheduledInterval,
    (cause) => cause instanceof StoreUnavailable || log.error('scheduled changes not applied', cause),
  );
  if (config.fetchTitles === 'on') {
    const onFault = (cause: unknown) =>
      cause instanceof StoreUnavailable || log.error('pages of destinations not looked at', cause);
    const pages = new PageFetcher(context, overrides.webhooks?.postOptions ?? {}, onFault);
    // Closed in reverse order: no new run begins while earlier steps are being closed.
    opened.defer(() => pages.stop());
    repeat(() => pages.run(), overrides.pageInterval ?? pageInterval, onFault);
  }
  repeat(
    () => mailRefusals(context),
    overrides.refusalInterval ?? refusalInterval,
    (cause) => cause instanceof StoreUnavailable || log.error('refused changes not mailed', cause),
  );
  repeat(
    () => mailOutages(context),
    overrides.outageInterval ?? outageInterval,
    (cause) => log.warn('failing webhooks not told of', { error: String(cause) }),
  );
  repeat(
    () => checkDueDomains(context),
    overrides.domainInterval ?? domainInterval,
    // The follower of the change feed already logs that the store is down.
    (cause) => cause instanceof StoreUnavailable || log.error('domains not checked', cause),
  );
  let isStopped = false;
  repeat(
    () => continueCorrections(context, () => isStopped),
    overrides.correctionInterval ?? correctionInterval,
    (cause) => cause instanceof StoreUnavailable || log.error('clicks not corrected', cause),
  );
  repeat(
    () => sweepWords(context, () => isStopped),
    overrides.sweepInterval ?? sweepInterval,
    (cause) => cause instanceof StoreUnavailable || log.error('words not swept', cause),
  );
  opened.defer(() => {
    isStopped = true;
  });
  startDestinationWatch(start, context);
  opened.defer(() => context.domains.close());
}

export function scheduleClickCleanup({ opened }: Start, clicks: Clicks): void {
  const timer = setInterval(() => clicks.cleanUp(), cleanUpInterval);
  opened.defer(() => clearInterval(timer));
}
