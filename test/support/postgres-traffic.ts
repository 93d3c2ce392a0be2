import type { Tap } from './tcp-proxy.ts';

/** The messages on one connection from the first until PostgreSQL is ready for the next query. */
export interface Exchange {
  /** The types of the messages sent, one letter each; `startup` when the connection was opened. */
  messages: string;
  /** Everything sent, as bytes in latin1, then the texts of the prepared statements that were executed by name. */
  sent: string;
  /** Round trips: how often the client sent something and had to wait for the response. */
  roundTrips: number;
  /** Sequence numbers of its begin and end, among those of all exchanges. */
  startOrder: number;
  endOrder: number;
}

/** The longest chain of round trips that ran one after another. */
export function sequentialRoundTrips(exchanges: readonly Exchange[]): number {
  const until = new Map<Exchange, number>();
  for (const one of exchanges) {
    const before = exchanges
      .filter(({ endOrder: ended }) => ended < one.startOrder)
      .map((other) => until.get(other) ?? 0);
    until.set(one, one.roundTrips + Math.max(0, ...before));
  }
  return Math.max(0, ...until.values());
}

/** Records the exchanges on connections to PostgreSQL. */
export class PostgresTraffic {
  #exchanges: Exchange[] = [];
  #inProgress = 0;
  #sequence = 0;
  #lastMessageAt = performance.now();
  /** Statement texts by name: each is sent only once per connection. */
  readonly #texts = new Map<string, string>();

  /** The finished exchanges since `clear`. */
  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  /** Milliseconds since the last message, while no exchange is in progress. */
  get idleTime(): number {
    return this.#inProgress > 0 ? 0 : performance.now() - this.#lastMessageAt;
  }

  clear(): void {
    this.#exchanges = [];
  }

  #executedTexts(sent: string): string {
    const prepared = [...sent.matchAll(/(linnet_\d+_[0-9a-f]{32})\0([^\0]+)\0/g)];
    for (const [, name = '', text = ''] of prepared) this.#texts.set(name, text);
    const names = new Set(sent.match(/linnet_\d+_[0-9a-f]{32}/g));
    for (const [, name = ''] of prepared) names.delete(name);
    return [...names].map((name) => this.#texts.get(name) ?? '').join('\n');
  }

  readonly tap: Tap = (client, server) => {
    let current: Exchange | null = null;
    let isServersTurn = false;
    /** How many ReadyForQuery messages are still to come. */
    let unanswered = 0;
    const requests = new Messages(true);
    const responses = new Messages(false);
    const settle = (exchange: Exchange | null) => {
      current = exchange;
      isServersTurn = false;
      this.#inProgress += exchange === null ? -1 : 1;
      this.#lastMessageAt = performance.now();
    };
    client.on('data', (bytes: Buffer) => {
      if (current === null)
        settle({ messages: '', sent: '', roundTrips: 0, startOrder: this.#sequence++, endOrder: 0 });
      const exchange = current as Exchange | null;
      if (exchange === null) return;
      if (!isServersTurn) exchange.roundTrips += 1;
      isServersTurn = true;
      const types = requests.take(bytes);
      exchange.messages += types.join('');
      unanswered += types.filter((type) => endings.has(type)).length;
      exchange.sent += bytes.toString('latin1');
    });
    server.on('data', (bytes: Buffer) => {
      isServersTurn = false;
      for (const type of responses.take(bytes)) {
        if (type !== 'Z' || current === null || --unanswered > 0) continue;
        const finished: Exchange = current;
        finished.endOrder = this.#sequence++;
        finished.sent += this.#executedTexts(finished.sent);
        this.#exchanges.push(finished);
        settle(null);
      }
    });
    client.on('close', () => {
      if (current !== null) settle(null);
    });
  };
}

/** The messages that PostgreSQL answers with ReadyForQuery: startup, simple query, sync. */
const endings: ReadonlySet<string> = new Set(['startup', 'Q', 'S']);

/** Splits a stream into messages: a type letter, a length, the content. Only the startup message has no letter. */
class Messages {
  #rest = Buffer.alloc(0);
  #isFirst: boolean;

  constructor(beginsWithStartup: boolean) {
    this.#isFirst = beginsWithStartup;
  }

  /** Returns the types of the messages that are now complete. */
  take(bytes: Buffer): string[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const types: string[] = [];
    for (;;) {
      const head = this.#isFirst ? 0 : 1;
      if (this.#rest.length < head + 4) return types;
      const end = head + this.#rest.readUInt32BE(head);
      if (this.#rest.length < end) return types;
      types.push(this.#isFirst ? 'startup' : this.#rest.toString('latin1', 0, 1));
      this.#rest = this.#rest.subarray(end);
      this.#isFirst = false;
    }
  }
}
