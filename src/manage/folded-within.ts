import { within } from '../structures/within.ts';
import type { Context } from './context.ts';

/** Whether every click that this node has answered so far is in the store within this time. */
export const foldedWithin = ({ clicksFolded }: Context, milliseconds: number): Promise<boolean> =>
  within(
    milliseconds,
    clicksFolded().then(() => true),
    () => false,
  ).catch(() => false);
