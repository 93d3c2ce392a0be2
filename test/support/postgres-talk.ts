import type { Tap } from './wire.ts';

/** What is asked on one connection until PostgreSQL has answered all of it, and is ready for more. */
export interface Exchange {
  /** The types of the messages that were sent, a letter each; `startup` where the connection was opened. */
  messages: string;
  /** All that was sent, byte by byte; behind it the texts of statements that were asked by their names. */
  sent: string;
  /** How often the asker spoke, and then had to wait: round trips. */
  turns: number;
  /** Of all beginnings and ends of exchanges, which ones were this one's. */
  begun: number;
  ended: number;
}

/** The most turns that were taken one after the other. */
export function turnsInARow(exchanges: readonly Exchange[]): number {
  const until = new Map<Exchange, number>();
  for (const one of exchanges) {
    const before = exchanges.filter(({ ended }) => ended < one.begun).map((other) => until.get(other) ?? 0);
    until.set(one, one.turns + Math.max(0, ...before));
  }
  return Math.max(0, ...until.values());
}

/** Notes what is said on wires to PostgreSQL. */
export class PostgresTalk {
  #exchanges: Exchange[] = [];
  #underWay = 0;
  #moment = 0;
  #heardAt = performance.now();
  /** Texts of statements by their names: they are sent once to a connection. */
  readonly #texts = new Map<string, string>();

  /** Since `forget`, those that are over. */
  get exchanges(): readonly Exchange[] {
    return this.#exchanges;
  }

  /** For how many milliseconds neither side has sent anything, or has waited for an answer. */
  get silence(): number {
    return this.#underWay > 0 ? 0 : performance.now() - this.#heardAt;
  }

  forget(): void {
    this.#exchanges = [];
  }

  #textsAskedBy(sent: string): string {
    const told = [...sent.matchAll(/(linnet_\d+_[0-9a-f]{32})\0([^\0]+)\0/g)];
    for (const [, name = '', text = ''] of told) this.#texts.set(name, text);
    const names = new Set(sent.match(/linnet_\d+_[0-9a-f]{32}/g));
    for (const [, name = ''] of told) names.delete(name);
    return [...names].map((name) => this.#texts.get(name) ?? '').join('\n');
  }

  readonly tap: Tap = (near, far) => {
    let current: Exchange | null = null;
    let isServersTurn = false;
    /** How often it has still to say that it is ready. */
    let unanswered = 0;
    const asked = new Messages(true);
    const answered = new Messages(false);
    const settle = (exchange: Exchange | null) => {
      current = exchange;
      isServersTurn = false;
      this.#underWay += exchange === null ? -1 : 1;
      this.#heardAt = performance.now();
    };
    near.on('data', (bytes: Buffer) => {
      if (current === null) settle({ messages: '', sent: '', turns: 0, begun: this.#moment++, ended: 0 });
      const exchange = current as Exchange | null;
      if (exchange === null) return;
      if (!isServersTurn) exchange.turns += 1;
      isServersTurn = true;
      const types = asked.take(bytes);
      exchange.messages += types.join('');
      unanswered += types.filter((type) => endings.has(type)).length;
      exchange.sent += bytes.toString('latin1');
    });
    far.on('data', (bytes: Buffer) => {
      isServersTurn = false;
      for (const type of answered.take(bytes)) {
        if (type !== 'Z' || current === null || --unanswered > 0) continue;
        const over: Exchange = current;
        over.ended = this.#moment++;
        over.sent += this.#textsAskedBy(over.sent);
        this.#exchanges.push(over);
        settle(null);
      }
    });
    near.on('close', () => {
      if (current !== null) settle(null);
    });
  };
}

/** Of messages, those that PostgreSQL answers by being ready: a start, a simple query, a sync. */
const endings: ReadonlySet<string> = new Set(['startup', 'Q', 'S']);

/** Cuts a stream into messages: a letter, a length, and what they are about. Only the very first has no letter. */
class Messages {
  #rest = Buffer.alloc(0);
  #isFirst: boolean;

  constructor(beginsWithStartup: boolean) {
    this.#isFirst = beginsWithStartup;
  }

  /** The types of those that are whole now. */
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
