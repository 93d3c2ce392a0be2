import type pg from 'pg';
import { StoreUnavailable, TimeoutExceeded } from '../../rules/errors.ts';
import { FairQueue } from '../../structures/fair-queue.ts';
import type { ReadTerms } from '../database.ts';
import { Deadlines, type DeadlineTask, deadlineFor } from './deadlines.ts';

export interface CheckedOut {
  /** `isPrepared`: it is repeated with other values, and may be parsed once per connection. */
  query(sql: string, parameters: readonly unknown[], isPrepared?: boolean): Promise<pg.QueryResult>;
  /** Cancels its statement on the server. */
  cancel(): void;
  /** Closes it, with its statement. */
  destroy(): void;
  release(isBroken?: boolean): void;
}

/** How many of a pool's connections read for callers at a time. The others are for changes and for Linnet's own reads. */
const readConnectionsOf = (connections: number): number => Math.floor((connections * 2) / 3);
const maxPerOrganization = 4;
/** How many of these connections are reserved for organizations that use none. */
const reserved = 2;

interface Read extends DeadlineTask {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly isPrepared: boolean;
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (cause: unknown) => void;
  hasBegun: boolean;
  isGivenUp: boolean;
  /** The connection that it runs on. */
  connection: Pick<CheckedOut, 'cancel'> | undefined;
}

/** Callers' reads, which take turns at the pool's connections by organization and end when their caller no longer waits. */
export class PostgresReads {
  readonly #connect: () => Promise<CheckedOut>;
  readonly #queue = new FairQueue<Read>(maxPerOrganization);
  readonly #deadlines = new Deadlines();
  #free: number;

  constructor(connect: () => Promise<CheckedOut>, connections: number) {
    this.#connect = connect;
    this.#free = readConnectionsOf(connections);
  }

  run(
    sql: string,
    parameters: readonly unknown[],
    terms: ReadTerms,
    isPrepared = false,
  ): Promise<pg.QueryResult> {
    const { organizationId } = terms;
    if (this.#queue.isFullFor(organizationId))
      return Promise.reject(new StoreUnavailable('too many queries are waiting'));
    return new Promise((resolve, reject) => {
      const read: Read = {
        ...{ sql, parameters, isPrepared, terms, resolve, reject, until: deadlineFor(terms) },
        ...{ hasBegun: false, isGivenUp: false, connection: undefined },
        giveUp: (cause) => this.#giveUp(read, cause),
      };
      this.#deadlines.add(read);
      this.#queue.add(organizationId, read);
      this.#dispatch();
    });
  }

  close(): void {
    this.#deadlines.close();
  }

  #dispatch(): void {
    while (this.#free > 0) {
      const turn = this.#queue.take({ newKeysOnly: this.#free <= reserved });
      const read = turn?.items[0];
      if (!read) return;
      this.#free -= 1;
      void this.#execute(read);
    }
  }

  async #execute(read: Read): Promise<void> {
    try {
      read.resolve(await this.#onConnection(read));
    } catch (cause) {
      read.reject(cause);
    } finally {
      this.#deadlines.delete(read);
      this.#free += 1;
      this.#queue.done(read.terms.organizationId);
      this.#dispatch();
    }
  }

  async #onConnection(read: Read): Promise<pg.QueryResult> {
    const client = await this.#connect();
    if (read.isGivenUp) {
      client.release();
      throw new TimeoutExceeded(false);
    }
    read.hasBegun = true;
    read.connection = client;
    try {
      return await client.query(read.sql, read.parameters, read.isPrepared);
    } finally {
      read.connection = undefined;
      // The cancellation may reach the server only now, and must not stop the next statement: the connection is closed.
      client.release(read.isGivenUp);
    }
  }

  #giveUp(read: Read, cause: TimeoutExceeded): void {
    read.isGivenUp = true;
    read.reject(cause);
    this.#queue.remove(read.terms.organizationId, read);
    // If it can't be cancelled, the server's own timeout ends it.
    read.connection?.cancel();
  }
}
