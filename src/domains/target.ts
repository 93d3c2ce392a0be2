import { isIP } from 'node:net';
import type { DomainTarget } from '../rules/domains/domain-findings.ts';
import { minuteLength } from '../rules/durations.ts';
import { waitAtMost } from '../structures/with-timeout.ts';
import type { Dns } from './dns.ts';

const lifetime = 5 * minuteLength;
/** How soon a failed lookup of the addresses is retried. */
const retry = 15_000;
const maxWait = 1_500;

/** Where custom domains should lead. The addresses of the host are looked up from time to time, and cached in between. */
export class TargetFinder {
  readonly #host: string | null;
  readonly #dns: Pick<Dns, 'addressesOf'>;
  readonly #now: () => number;
  #addresses: readonly string[];
  #validUntil = 0;
  #lookup: Promise<void> | undefined;

  /** `target` is a host, or addresses. */
  constructor(target: string | readonly string[], dns: Pick<Dns, 'addressesOf'>, now: () => number) {
    const fixed = typeof target === 'string' ? ownAddresses(target) : target;
    this.#host = fixed === null && typeof target === 'string' ? target : null;
    this.#addresses = fixed ?? [];
    this.#dns = dns;
    this.#now = now;
  }

  get host(): string | null {
    return this.#host;
  }

  async find(): Promise<DomainTarget> {
    if (this.#host !== null && this.#now() >= this.#validUntil) {
      this.#lookup ??= this.#lookUp(this.#host).finally(() => {
        this.#lookup = undefined;
      });
      // Addresses rarely change: known ones are used while they are looked up again. The wait for the first lookup is short.
      if (this.#addresses.length === 0) await waitAtMost(maxWait, this.#lookup);
    }
    return { host: this.#host, addresses: this.#addresses };
  }

  async #lookUp(host: string): Promise<void> {
    const found = await this.#dns.addressesOf(host);
    this.#addresses = found ?? this.#addresses;
    this.#validUntil = this.#now() + (found === null ? retry : lifetime);
  }
}

/** A service that is reached by its address has no name to point to. */
function ownAddresses(host: string): readonly string[] | null {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return isIP(bare) === 0 ? null : [bare];
}
