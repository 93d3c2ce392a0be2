import type { Arrival } from '../http/router.ts';
import type { Database } from '../storage/database.ts';
import { hasUsers } from '../storage/users.ts';

type Answer = Response | Promise<Response>;

/** Whether nobody has an account yet: asked as long as that is so. A store that is away has some, as far as is known. */
export function firstRunOf(database: Database): () => Promise<boolean> {
  let isOver = false;
  return async () => {
    isOver ||= await hasUsers(database.lookup).catch(() => true);
    return !isOver;
  };
}

/** Under a name that is not the service's: while there is no account one way, from then on the other. */
export const whileFirstRun =
  (
    isFirstRun: () => Promise<boolean>,
    during: (arrival: Arrival) => Answer,
    after: (arrival: Arrival) => Answer,
  ) =>
  async (arrival: Arrival): Promise<Response> =>
    (await isFirstRun()) ? during(arrival) : after(arrival);
