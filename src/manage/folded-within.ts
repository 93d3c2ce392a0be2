import type { Context } from './context.ts';

/** Whether every click that this node has answered so far is in the store within this time. */
export const foldedWithin = ({ clicksFolded }: Context, milliseconds: number): Promise<boolean> =>
  Promise.race([
    clicksFolded().then(
      () => true,
      () => false,
    ),
    Bun.sleep(milliseconds).then(() => false),
  ]);
