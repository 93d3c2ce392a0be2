import { DestinationWatch } from '../manage/check-destinations.ts';
import type { Context } from '../manage/context.ts';
import { copyDestinationProblems } from '../manage/copy-destination-problems.ts';
import { mailDestinations } from '../manage/mail-destinations.ts';
import { sweepWatched } from '../manage/sweep-watched.ts';
import { StoreUnavailable } from '../rules/errors.ts';
import { repeatJob } from './repeat-job.ts';
import type { Start } from './start.ts';

const second = 1_000;
const minute = 60 * second;

/** If it is switched off for the instance, recorded problems are cleared, and nothing else is done. */
export function startDestinationWatch({ config, overrides, log, opened }: Start, context: Context): void {
  let isStopped = false;
  const repeat = (work: () => Promise<void>, interval: number) => {
    const job = repeatJob(
      work,
      overrides.watchInterval ?? interval,
      (cause) => cause instanceof StoreUnavailable || log.error('destinations not watched', cause),
    );
    opened.defer(() => job.stop());
  };
  repeat(() => sweepWatched(context, () => isStopped), minute);
  if (config.watchDestinations === 'on') {
    const watch = new DestinationWatch(context, overrides.webhooks?.postOptions ?? {});
    repeat(() => watch.run(), second);
    repeat(() => copyDestinationProblems(context), second);
    repeat(() => mailDestinations(context), minute);
    opened.defer(() => watch.stop());
  }
  opened.defer(() => {
    isStopped = true;
  });
}
