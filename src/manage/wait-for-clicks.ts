import { withTimeout } from '../structures/with-timeout.ts';
import type { Context } from './context.ts';

/** Waits until every click that this node has answered so far is in the store. Returns false if that takes longer, or fails. */
export const waitForClicks = ({ clicksFolded }: Context, milliseconds: number): Promise<boolean> =>
  withTimeout(
    milliseconds,
    clicksFolded().then(() => true),
    () => false,
  ).catch(() => false);
