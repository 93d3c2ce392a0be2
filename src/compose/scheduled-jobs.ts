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
import type { Deliverer } from '../webhooks/deliver.ts';
import type { Clicks } from './data-plane.ts';
import { startDestinationWatch } from './destination-watch.ts';
import { logFault, repeatWhileOpen } from './repeat-job.ts';
import type { Start } from './start.ts';

const cleanUpInterval = 60 * 60 * 1000;

/** Starts the jobs of the control plane that run at intervals. */
export function startScheduledJobs(start: Start, context: Context, deliverer: Deliverer): void {
  const { config, overrides, log, opened } = start;
  const {
    clearInterval: clearingInterval = 2_000,
    expiryInterval = 15_000,
    // Changes are promised within a second of their instant.
    scheduledInterval = 250,
    pageInterval = 500,
    refusalInterval = 10_000,
    outageInterval = 10 * 60 * 1000,
    domainInterval = 2_000,
    correctionInterval = 1_000,
    sweepInterval = 5_000,
  } = overrides;
  const repeat = (work: () => Promise<void>, interval: number, onFault: (cause: unknown) => void) =>
    repeatWhileOpen(opened, work, interval, onFault);
  const fault = (event: string) => logFault(log, event);
  const warning = (event: string) => (cause: unknown) => log.warn(event, { error: String(cause) });
  repeat(() => cleanUp(context), cleanUpInterval, warning('tidying failed'));
  const deletedOrganizations = new DeletedOrganizations(context);
  repeat(() => deletedOrganizations.clear(), clearingInterval, fault('organization not cleared away'));
  deliverer.start();
  opened.defer(() => deliverer.stop());
  repeat(() => sendExpiries(context), expiryInterval, warning('expiries not told'));
  const applyDue = () =>
    applyScheduled(context, {
      onRefused: (facts) => log.warnEach('scheduled change not applied', facts),
      onFault: (cause, facts) => log.error('scheduled change failed', cause, facts),
    });
  repeat(applyDue, scheduledInterval, fault('scheduled changes not applied'));
  if (config.fetchTitles === 'on') {
    const onFault = fault('pages of destinations not looked at');
    const pages = new PageFetcher(context, overrides.webhooks?.postOptions ?? {}, onFault);
    // Closed in reverse order: no new run begins while earlier steps are being closed.
    opened.defer(() => pages.stop());
    repeat(() => pages.run(), pageInterval, onFault);
  }
  repeat(() => mailRefusals(context), refusalInterval, fault('refused changes not mailed'));
  repeat(() => mailOutages(context), outageInterval, warning('failing webhooks not told of'));
  repeat(() => checkDueDomains(context), domainInterval, fault('domains not checked'));
  let isStopped = false;
  repeat(
    () => continueCorrections(context, () => isStopped),
    correctionInterval,
    fault('clicks not corrected'),
  );
  repeat(() => sweepWords(context, () => isStopped), sweepInterval, fault('words not swept'));
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
