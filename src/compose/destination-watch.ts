import type { Context } from '../manage/context.ts';
import { DestinationWatch } from '../manage/destinations/check-destinations.ts';
import { copyDestinationProblems } from '../manage/destinations/copy-destination-problems.ts';
import { mailDestinations } from '../manage/destinations/mail-destinations.ts';
import { sweepWatched } from '../manage/destinations/sweep-watched.ts';
import { minuteLength, secondLength } from '../rules/durations.ts';
import { logFault, repeatWhileOpen } from './repeat-job.ts';
import type { Start } from './start.ts';

/** If it is switched off for the instance, recorded problems are cleared, and nothing else is done. */
export function startDestinationWatch(start: Start, context: Context): void {
  const { config, overrides, log, opened } = start;
  const onFault = logFault(log, 'destinations not watched');
  const repeat = (work: () => Promise<void>, interval: number) =>
    repeatWhileOpen(start, work, overrides.watchInterval ?? interval, onFault);
  repeat(() => sweepWatched(context, () => opened.disposed), minuteLength);
  if (config.watchDestinations === 'on') {
    const watch = new DestinationWatch(context, overrides.webhooks?.postOptions ?? {});
    repeat(() => watch.run(), secondLength);
    repeat(() => copyDestinationProblems(context), secondLength);
    repeat(() => mailDestinations(context), minuteLength);
    opened.defer(() => watch.stop());
  }
}
