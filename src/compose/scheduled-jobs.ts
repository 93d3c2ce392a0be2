import { sweepWords } from '../ledger/retention/sweep-words.ts';
import { DeletedOrganizations } from '../manage/accounts/clear-organizations.ts';
import { cleanUp } from '../manage/clean-up.ts';
import type { Context } from '../manage/context.ts';
import { continueCorrections } from '../manage/correct-clicks.ts';
import { PageFetcher } from '../manage/destinations/page-fetcher.ts';
import { checkDueDomains } from '../manage/domains/check-due-domains.ts';
import { applyScheduled } from '../manage/links/apply-scheduled.ts';
import { mailRefusals } from '../manage/links/mail-refusals.ts';
import { sendExpiries } from '../manage/webhooks/send-expiries.ts';
import { mailOutages } from '../manage/webhooks/webhook-outages.ts';
import type { Deliverer } from '../webhooks/deliver.ts';
import type { Clicks } from './data-plane.ts';
import { startDestinationWatch } from './destination-watch.ts';
import { type JobInterval, jobIntervals } from './job-intervals.ts';
import { logFault, repeatWhileOpen } from './repeat-job.ts';
import type { Start } from './start.ts';

/** Starts the jobs of the control plane that run at intervals. */
export function startScheduledJobs(start: Start, context: Context, deliverer: Deliverer): void {
  const { config, overrides, log, opened } = start;
  const repeat = (work: () => Promise<void>, interval: JobInterval, onFault: (cause: unknown) => void) =>
    repeatWhileOpen(start, work, interval, onFault);
  const fault = (event: string) => logFault(log, event);
  const warning = (event: string) => (cause: unknown) => log.warn(event, { error: String(cause) });
  repeat(() => cleanUp(context), 'cleanUpInterval', warning('tidying failed'));
  const deletedOrganizations = new DeletedOrganizations(context);
  repeat(() => deletedOrganizations.clear(), 'clearInterval', fault('organization not cleared away'));
  deliverer.start();
  opened.defer(() => deliverer.stop());
  repeat(() => sendExpiries(context), 'expiryInterval', warning('expiries not told'));
  const applyDue = () =>
    applyScheduled(context, {
      onRefused: (facts) => log.warnEach('scheduled change not applied', facts),
      onFault: (cause, facts) => log.error('scheduled change failed', cause, facts),
    });
  repeat(applyDue, 'scheduledInterval', fault('scheduled changes not applied'));
  if (config.fetchTitles === 'on') {
    const onFault = fault('pages of destinations not looked at');
    const pages = new PageFetcher(context, overrides.webhooks?.postOptions ?? {}, onFault);
    // Closed in reverse order: no new run begins while earlier steps are being closed.
    opened.defer(() => pages.stop());
    repeat(() => pages.run(), 'pageInterval', onFault);
  }
  repeat(() => mailRefusals(context), 'refusalInterval', fault('refused changes not mailed'));
  repeat(() => mailOutages(context), 'outageInterval', warning('failing webhooks not told of'));
  repeat(() => checkDueDomains(context), 'domainInterval', fault('domains not checked'));
  const isStopping = () => opened.disposed;
  repeat(() => continueCorrections(context, isStopping), 'correctionInterval', fault('clicks not corrected'));
  repeat(() => sweepWords(context, isStopping), 'sweepInterval', fault('words not swept'));
  startDestinationWatch(start, context);
  opened.defer(() => context.domains.close());
}

export function scheduleClickCleanup({ opened }: Start, clicks: Clicks): void {
  const timer = setInterval(() => clicks.cleanUp(), jobIntervals.cleanUpInterval);
  opened.defer(() => clearInterval(timer));
}
