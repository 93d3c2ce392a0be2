import { serverName, serversOf } from '../../rules/database-url.ts';
import { waitAtMost } from '../../structures/with-timeout.ts';
import { answerTime, type FoundServer, findServer, type ServerState } from './find-primary.ts';

/** Milliseconds between two checks of the server; well within the five seconds that a failover may disturb visitors. */
const interval = 1_000;
/** After a failure the next check comes at once, but no more often than this. */
const minPause = 250;

interface Connection {
  /** Closes it, with its statement. */
  destroy(): void;
}

/**
 * The server that connections go to: of those in `DATABASE_URL`, the one that takes changes. After a failover it is another one,
 * or the same name resolves to another: then earlier connections are closed. While none takes changes, one that can be read is
 * used, so that visitors still find their links.
 */
export class Primary {
  readonly #urls: readonly string[];
  readonly #onMoved: (sentence: string) => void;
  readonly #generations = new WeakMap<object, number>();
  /** Connections in use, and those that are being opened. */
  readonly #connections = new Set<Connection & { readonly generation: number }>();
  /** The value of `prepared_statements` in the address: whether statements are named, whatever pooler is in between. */
  readonly #naming: string | null;
  /** A named statement was lost: there is a pooler that doesn't support them. */
  hasLostNames = false;
  /** Whether there is a pooler, which takes no timeouts as start-up parameters. */
  isPooler = false;
  #url: string;
  #generation = 0;
  #isFirst = true;
  /** The result of the last check. */
  #state: ServerState = 'writes';
  /** Consecutive checks on a connection in use without an answer. */
  #unanswered = 0;
  #probe: (() => Promise<ServerState>) | null = null;
  #checking: Promise<void> | null = null;
  #lastCheck = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(databaseUrl: string, onMoved: (sentence: string) => void) {
    this.#urls = serversOf(databaseUrl) ?? [databaseUrl];
    this.#url = this.#urls[0] ?? databaseUrl;
    this.#onMoved = onMoved;
    this.#naming = new URL(this.#url).searchParams.get('prepared_statements');
    if (this.#urls.length > 1) this.#checking = this.#search().finally(() => this.#checked());
    else this.#isFirst = false;
  }

  /** Whether statements are named, so that each connection parses and plans them once. */
  get namesStatements(): boolean {
    if (this.#naming === 'on') return true;
    return this.#naming !== 'off' && !this.isPooler && !this.hasLostNames;
  }

  /** Where new connections go. */
  get url(): string {
    return this.#url;
  }

  /** Resolves once it is known which of several servers is the primary; null if it is known. */
  get found(): Promise<void> | null {
    return this.#isFirst ? this.#checking : null;
  }

  /** Checks the server at intervals; `probe` queries its state on a connection in use. */
  watch(probe: () => Promise<ServerState>): void {
    this.#probe = probe;
    this.#timer = setInterval(() => this.#checkAgain(), interval);
  }

  /** Counts the moves from one server to another. */
  get generation(): number {
    return this.#generation;
  }

  /** Marks a connection as being opened until the returned function is called: a server that is down may never answer it. */
  trackOpening(connection: object, destroy: () => void): () => void {
    this.#generations.set(connection, this.#generation);
    return this.trackInUse({ destroy });
  }

  /** Whether a connection leads to the server of new connections. */
  isCurrent(connection: object): boolean {
    return this.#generations.get(connection) === this.#generation;
  }

  /** Marks a connection as in use until the returned function is called. */
  trackInUse(connection: Connection): () => void {
    const tracked = { destroy: () => connection.destroy(), generation: this.#generation };
    this.#connections.add(tracked);
    return () => void this.#connections.delete(tracked);
  }

  /** A failure suggests that the server may have changed. */
  doubt(): void {
    if (performance.now() - this.#lastCheck > minPause) this.#checkAgain();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    if (this.#checking !== null) await waitAtMost(answerTime, this.#checking);
  }

  #checkAgain(): void {
    const probe = this.#probe;
    if (probe === null || this.#checking !== null || this.#isClosed) return;
    this.#checking = this.#checkOrSearch(probe).finally(() => this.#checked());
  }

  async #checkOrSearch(probe: () => Promise<ServerState>): Promise<void> {
    if (this.#state === 'writes') {
      this.#state = await probe();
      this.#unanswered = this.#state === 'away' ? this.#unanswered + 1 : 0;
    }
    if (this.#state !== 'writes') await this.#search();
  }

  #checked(): void {
    this.#checking = null;
    this.#lastCheck = performance.now();
  }

  async #search(): Promise<void> {
    const found = await findServer(this.#urls);
    const before = this.#state;
    this.#state = found?.state ?? 'away';
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (found === null) return;
    const isOther = found.url !== this.#url;
    // The name resolves to another server now, which earlier connections don't follow.
    const isReplaced = found.state === 'writes' && (before === 'reads' || this.#unanswered >= 2);
    if (isOther || (isReplaced && !isFirst)) this.#move(found, isFirst);
  }

  #move({ url, state }: FoundServer, isFirst: boolean): void {
    const isOther = url !== this.#url;
    this.#url = url;
    this.#generation += 1;
    this.#unanswered = 0;
    const can = state === 'writes' ? 'takes changes' : 'can only be read';
    if (isOther && !isFirst) this.#onMoved(`goes on at ${serverName(url)}, which ${can}`);
    for (const tracked of [...this.#connections])
      if (tracked.generation < this.#generation) tracked.destroy();
  }
}
