import type { IncomingRequest } from '../http/router.ts';
import { hasUsers } from '../storage/accounts/users.ts';
import type { Database } from '../storage/database.ts';

type Answer = Response | Promise<Response>;

/** Whether there is no account yet. Queries the store until there is one; a store that is down counts as having one. */
export function firstRunOf(database: Database): () => Promise<boolean> {
  let isOver = false;
  return async () => {
    isOver ||= await hasUsers(database.lookup).catch(() => true);
    return !isOver;
  };
}

/** Answers requests for hosts other than the service's: with `during` while there is no account, then with `after`. */
export const whileFirstRun =
  (
    isFirstRun: () => Promise<boolean>,
    during: (incoming: IncomingRequest) => Answer,
    after: (incoming: IncomingRequest) => Answer,
  ) =>
  async (incoming: IncomingRequest): Promise<Response> =>
    (await isFirstRun()) ? during(incoming) : after(incoming);
