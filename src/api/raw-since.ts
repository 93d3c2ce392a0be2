import type { Context } from '../manage/context.ts';
import { dayLength } from '../rules/utc-time.ts';

/** Since when single hits are kept. Older ones are deleted from time to time, on PostgreSQL by the month. */
export const rawSince = ({ now, config }: Pick<Context, 'now' | 'config'>): number =>
  now() - config.clickRetentionDays * dayLength;
