import { serverName, serversOf } from '../../rules/database-url.ts';
import { answerTime, type Found, findServer, type Standing } from './find-primary.ts';

/** Milliseconds between two looks at the server; well within the five seconds that a failover may be felt. */
const interval = 1_000;
/** After a fault the next look comes at once, but no more often than this. */
const minPause = 250;

interface Connection {
  /** Ends it, with what it is asked. */
  destroy(): void;
}

/**
 * The server that connections go to: of those that `DATABASE_URL` names, the one that takes changes. After a failover it is
 * another, or the same name leads to another: then connections from before are thrown away. While none takes changes, one that
 * can be read is used, so that visitors still find their links.
 */
export class Primary {
  readonly #urls: readonly string[];
  readonly #onMoved: (sentence: string) => void;
  readonly #generations = new WeakMap<object, number>();
  readonly #lent = new Set<Connection & { readonly generation: number }>();
  /** What `prepared_statements` in the address says: whether statements are named, whatever is in between. */
  readonly #naming: string | null;
  /** A named statement was lost: there is a pooler that doesn't know of them. */
  hasLostNames = false;
  /** Whether a pooler is in between, which takes no deadlines at the start of a connection. */
  isPooler = false;
  #url: string;
  #generation = 0;
  #isFirst = true;
  /** What it was found to be the last time. */
  #standing: Standing = 'writes';
  /** Looks in a row over a connection in use that had no answer. */
  #unanswered = 0;
  #look: (() => Promise<Standing>) | null = null;
  #looking: Promise<void> | null = null;
  #lastLook = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(databaseUrl: string, onMoved: (sentence: string) => void) {
    this.#urls = serversOf(databaseUrl) ?? [databaseUrl];
    this.#url = this.#urls[0] ?? databaseUrl;
    this.#onMoved = onMoved;
    this.#naming = new URL(this.#url).searchParams.get('prepared_statements');
    if (this.#urls.length > 1) this.#looking = this.#search().finally(() => this.#lookedAt());
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

  /** Fulfilled once it is known which of several servers that is; null if it is. */
  get found(): Promise<void> | null {
    return this.#isFirst ? this.#looking : null;
  }

  /** Looks at the server again and again; `look` asks it over a connection that is in use. */
  watch(look: () => Promise<Standing>): void {
    this.#look = look;
    this.#timer = setInterval(() => this.#lookAgain(), interval);
  }

  /** A connection is opened now. */
  opens(connection: object): void {
    this.#generations.set(connection, this.#generation);
  }

  /** Whether a connection leads to where new ones go. */
  isCurrent(connection: object): boolean {
    return this.#generations.get(connection) === this.#generation;
  }

  /** A connection is in use until what is returned is called. */
  lends(connection: Connection): () => void {
    const lent = { destroy: () => connection.destroy(), generation: this.#generation };
    this.#lent.add(lent);
    return () => void this.#lent.delete(lent);
  }

  /** A fault says that the server may not be what it was. */
  doubt(): void {
    if (performance.now() - this.#lastLook > minPause) this.#lookAgain();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await Promise.race([this.#looking, Bun.sleep(answerTime)]);
  }

  #lookAgain(): void {
    const look = this.#look;
    if (look === null || this.#looking !== null || this.#isClosed) return;
    this.#looking = this.#lookOrSearch(look).finally(() => this.#lookedAt());
  }

  async #lookOrSearch(look: () => Promise<Standing>): Promise<void> {
    if (this.#standing === 'writes') {
      this.#standing = await look();
      this.#unanswered = this.#standing === 'away' ? this.#unanswered + 1 : 0;
    }
    if (this.#standing !== 'writes') await this.#search();
  }

  #lookedAt(): void {
    this.#looking = null;
    this.#lastLook = performance.now();
  }

  async #search(): Promise<void> {
    const found = await findServer(this.#urls);
    const before = this.#standing;
    this.#standing = found?.standing ?? 'away';
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (found === null) return;
    const isOther = found.url !== this.#url;
    // The name leads to another server now, where connections from before can't follow.
    const isReplaced = found.standing === 'writes' && (before === 'reads' || this.#unanswered >= 2);
    if (isOther || (isReplaced && !isFirst)) this.#move(found, isFirst);
  }

  #move({ url, standing }: Found, isFirst: boolean): void {
    const isOther = url !== this.#url;
    this.#url = url;
    this.#generation += 1;
    this.#unanswered = 0;
    const can = standing === 'writes' ? 'takes changes' : 'can only be read';
    if (isOther && !isFirst) this.#onMoved(`goes on at ${serverName(url)}, which ${can}`);
    for (const lent of [...this.#lent]) if (lent.generation < this.#generation) lent.destroy();
  }
}
