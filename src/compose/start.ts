import type { Config } from '../config/options.ts';
import type { Log } from '../telemetry/log.ts';
import type { Overrides } from './overrides.ts';

/** What every step of a start is given. */
export interface Start {
  readonly config: Config;
  readonly overrides: Overrides;
  readonly log: Log;
  readonly now: () => number;
  /** Each step adds what it opens: closed again, last opened first, in the end or when a later step fails. */
  readonly opened: AsyncDisposableStack;
}
