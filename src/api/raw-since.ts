import type { Context } from '../manage/context.ts';
import { dayLength } from '../rules/durations.ts';
import { hitsSince } from '../stats/raw-since.ts';

/** The instant since which individual hits are read. Older ones are deleted from time to time, on PostgreSQL by month. */
export const rawSince = ({ now, config }: Pick<Context, 'now' | 'config'>): number =>
  now() - config.clickRetentionDays * dayLength;

/** The instant since which there are individual hits. */
export const actualRawSince = (context: Pick<Context, 'now' | 'config' | 'database'>): Promise<number> =>
  hitsSince(context.database.read, rawSince(context));
