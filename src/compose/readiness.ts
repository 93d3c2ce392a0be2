import { hasUsers } from '../storage/accounts/users.ts';
import type { Database } from '../storage/database.ts';

/** The answer of `/readyz`: whether a load balancer should send requests here. */
export class Readiness {
  readonly #database: Database;
  readonly #reasons = new Map<string, string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** From now on `/readyz` fails with this reason; null removes the reason of this cause. */
  set(cause: 'draining' | 'version', reason: string | null): void {
    if (reason === null) this.#reasons.delete(cause);
    else this.#reasons.set(cause, reason);
  }

  async answer(): Promise<Response> {
    const [reason] = this.#reasons.values();
    if (reason !== undefined) return notReady(reason);
    try {
      await hasUsers(this.#database.lookup);
      return (await this.#database.takesChanges())
        ? Response.json({ status: 'ready' })
        : notReady('database read-only');
    } catch {
      return notReady('database away');
    }
  }
}

const notReady = (status: string): Response =>
  Response.json({ status }, { status: 503, headers: { 'retry-after': '5' } });
