import { dayLength } from '../rules/durations.ts';
import type { Database } from '../storage/database.ts';
import { claimSetting, deleteSetting, findSetting } from '../storage/settings.ts';

/** The setting with the instant at which HTTPS was first served for the service's host. */
const key = 'https_since';
const checkInterval = 60_000;

/** Whether HTTPS has been served for a day: only then are browsers told to use nothing else. */
export class HttpsSince {
  readonly #database: Database;
  readonly #now: () => number;
  #since: number | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** HTTPS is served from now on, unless it was before. */
  async begin(): Promise<void> {
    await this.#database.write(async (queries) => {
      const now = this.#now();
      // An instant far in the future was written by a wrong clock.
      if (Number(await findSetting(queries, key)) > now + dayLength) await deleteSetting(queries, key);
      await claimSetting(queries, key, String(now));
    });
    await this.#check();
  }

  readonly isStable = (): boolean => {
    // Another node may have begun.
    if (this.#since === null && performance.now() - this.#checkedAt > checkInterval)
      void this.#check().catch(() => {});
    return this.#since !== null && this.#now() - this.#since >= dayLength;
  };

  async #check(): Promise<void> {
    this.#checkedAt = performance.now();
    const found = await findSetting(this.#database.read, key);
    if (found !== null) this.#since = Number(found);
  }
}
