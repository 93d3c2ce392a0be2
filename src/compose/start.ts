import type { Config } from '../config/options.ts';
import type { Log } from '../telemetry/log.ts';
import type { Overrides } from './overrides.ts';

/** What every step of a start needs. */
export interface Start {
  readonly config: Config;
  readonly overrides: Overrides;
  readonly log: Log;
  readonly now: () => number;
  /** Each step adds what it opens. Closed in reverse order at the stop, or if a later step fails. */
  readonly opened: AsyncDisposableStack;
}
