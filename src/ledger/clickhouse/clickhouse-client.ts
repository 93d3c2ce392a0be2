import type { ClickServer } from '../../rules/clicks-url.ts';
import { StoreUnavailable, TimeoutExceeded } from '../../rules/errors.ts';
import { internalReadTerms, type ReadTerms } from '../../storage/database.ts';
import { deadlineFor } from '../../storage/drivers/deadlines.ts';
import { clickServerCalls, clickServerState } from '../click-server-calls.ts';

type Settings = Readonly<Record<string, string | number>>;

/** Milliseconds that a background statement may take. */
const defaultTimeout = 60_000;

/** Settings of every statement: complete responses or none, and integers as JSON numbers. */
const commonSettings: Settings = {
  wait_end_of_query: 1,
  output_format_json_quote_64bit_integers: 0,
  // Statements contain lists of links.
  max_query_size: 16_777_216,
  // A profile may have other values for these.
  async_insert: 0,
  insert_deduplicate: 1,
  mutations_sync: 1,
  lightweight_deletes_sync: 1,
  // Ids of words are numbers with few distinct values.
  allow_suspicious_low_cardinality_types: 1,
  cancel_http_readonly_queries_on_client_close: 1,
};

const timeoutExceeded = '159';

/** The server could not be reached. */
class ConnectionBroken extends StoreUnavailable {
  override readonly name = 'ConnectionBroken';
}

/** Shared by the clients of one server. */
interface Identity {
  /** The store that the server must belong to, as long as that is unknown. */
  unverified: string | null;
}

/** A client of the HTTP interface. A refusal counts as an outage: hits then wait in their journal. */
export class ClickhouseClient {
  readonly #server: ClickServer;
  readonly #terms: ReadTerms;
  readonly #identity: Identity;

  constructor(
    server: ClickServer,
    terms: ReadTerms = internalReadTerms,
    identity: Identity = { unverified: null },
  ) {
    this.#server = server;
    this.#terms = terms;
    this.#identity = identity;
  }

  withTerms(terms: ReadTerms): ClickhouseClient {
    return new ClickhouseClient(this.#server, terms, this.#identity);
  }

  /** From now on, statements are refused until the database has turned out to have the hits of this store. */
  verifyFirst(storeId: string): void {
    this.#identity.unverified = storeId;
  }

  async #verify(): Promise<void> {
    const storeId = this.#identity.unverified;
    if (storeId === null) return;
    const stores = await this.stores();
    if (!stores?.length) throw new StoreUnavailable('the database of CLICKS_URL belongs to no store yet');
    if (stores.some((id) => id !== storeId))
      throw new StoreUnavailable('the database of CLICKS_URL has the clicks of another store');
    this.#identity.unverified = null;
  }

  /** The stores that the database belongs to; null if it has no tables. Asked before it is known whether it is the right one. */
  async stores(): Promise<readonly string[] | null> {
    const tables = await this.#rowsWithRetry(
      "select name from system.tables where database = currentDatabase() and name = 'hit_store'",
    );
    if (tables.length === 0) return null;
    return (await this.#rowsWithRetry<{ id: string }>('select id from hit_store')).map(({ id }) => id);
  }

  /** Retries once if the connection broke: the server closes connections that were idle for some seconds. */
  async rows<Row>(sql: string): Promise<readonly Row[]> {
    await this.#verify();
    return this.#rowsWithRetry(sql);
  }

  async #rowsWithRetry<Row>(sql: string): Promise<readonly Row[]> {
    try {
      return await this.#rows(sql);
    } catch (cause) {
      if (!(cause instanceof ConnectionBroken)) throw cause;
      return this.#rows(sql);
    }
  }

  async #rows<Row>(sql: string): Promise<readonly Row[]> {
    const { signal } = this.#terms;
    const left = Math.min(deadlineFor(this.#terms) - performance.now(), defaultTimeout);
    if (left <= 0 || signal?.aborted) throw new TimeoutExceeded(false, this.#terms.timeout);
    return this.#request(
      `${sql} format JSONEachRow`,
      left,
      // Nothing waits for the answer any longer than this.
      { max_execution_time: Math.ceil(left / 1_000) },
      (text) => JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`),
    );
  }

  /** Streams an answer of any length, without a time limit. */
  async lines(sql: string): Promise<AsyncIterable<string>> {
    await this.#verify();
    const response = await this.#tracked(() =>
      this.#send(sql, { wait_end_of_query: 0, max_execution_time: 0 }, AbortSignal.any([])),
    );
    return linesOf(response);
  }

  async run(body: string | Uint8Array, timeout = defaultTimeout, settings: Settings = {}): Promise<void> {
    await this.#verify();
    await this.#request(body, timeout, settings, requireSuccess);
  }

  /** Blocks with the same token are inserted only once, however often this is called. `body` is a single block. */
  insert(sql: string, body: Uint8Array, token: string, timeout: number): Promise<void> {
    const settings = { query: sql, insert_deduplication_token: token, max_insert_block_size: 1_000_000 };
    return this.run(body, timeout, settings);
  }

  /** Throws StoreUnavailable if `parse` can't read the answer: an error may follow after status 200. */
  async #request<T>(
    body: string | Uint8Array,
    timeout: number,
    settings: Settings,
    parse: (text: string) => T,
  ): Promise<T> {
    const signals = [AbortSignal.timeout(Math.ceil(timeout)), this.#terms.signal].filter(
      (one) => one !== null,
    );
    return this.#tracked(async () => {
      const response = await this.#send(body, settings, AbortSignal.any(signals));
      const text = await response.text();
      try {
        return parse(text);
      } catch {
        clickServerCalls.refused += 1;
        throw new StoreUnavailable(`ClickHouse: ${errorIn(text) ?? 'an answer that is no JSON'}`);
      }
    });
  }

  /** Throws if the server refuses, or isn't ClickHouse. */
  async #send(body: string | Uint8Array, settings: Settings, signal: AbortSignal): Promise<Response> {
    const { origin, user, password, database } = this.#server;
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries({ database, ...commonSettings, ...settings }))
      parameters.set(name, String(value));
    const response = await fetch(`${origin}/?${parameters}`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${user || 'default'}:${password}`).toString('base64')}`,
      },
      body: body as Uint8Array<ArrayBuffer>,
      redirect: 'error',
      // A proxy that HTTP_PROXY names is for calls to the internet: it needn't reach a private server, and could read what is sent.
      proxy: false,
      signal,
    });
    const isClickhouse = [...response.headers.keys()].some((name) => name.startsWith('x-clickhouse-'));
    if (response.ok && isClickhouse) return response;
    const text = await response.text();
    if (response.headers.get('x-clickhouse-exception-code') === timeoutExceeded) throw this.#timeoutError();
    clickServerCalls.refused += 1;
    const found = text.slice(0, 500).trim() || `status ${response.status}`;
    // A maintenance page of a proxy may have status 200: hits would count as inserted.
    if (response.ok)
      throw new StoreUnavailable(`CLICKS_URL is answered by something other than ClickHouse: ${found}`);
    throw new StoreUnavailable(`ClickHouse: ${found}`);
  }

  async #tracked<T>(call: () => Promise<T>): Promise<T> {
    clickServerCalls.sent += 1;
    try {
      const result = await call();
      clickServerState.isUnavailable = false;
      return result;
    } catch (cause) {
      clickServerState.isUnavailable = !(cause instanceof TimeoutExceeded);
      if (cause instanceof StoreUnavailable) throw cause;
      const { name, message } = cause as Error;
      if (name === 'TimeoutError' || this.#terms.signal?.aborted) throw this.#timeoutError();
      clickServerCalls.unreachable += 1;
      throw new ConnectionBroken(`ClickHouse: ${message}`, { cause });
    }
  }

  #timeoutError = (): TimeoutExceeded => {
    clickServerCalls.too_slow += 1;
    return new TimeoutExceeded(true, this.#terms.timeout);
  };
}

const errorIn = (text: string): string | undefined =>
  /Code: \d+\. DB::Exception.{0,500}/s.exec(text)?.[0].trim();

/** Answers to statements that aren't queries are empty, or have a few rows. */
function requireSuccess(text: string): void {
  if (errorIn(text) !== undefined) throw new Error('an error after status 200');
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body ?? []) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
