import { hourLength } from '../rules/durations.ts';
import { changesSince, type LinkChange, suffixesIn } from '../storage/changes.ts';
import { databaseTimeline } from '../storage/database-timeline.ts';
import { hostsOfDomains } from '../storage/domains.ts';
import type { LinkAddress } from '../storage/links/link-addresses.ts';
import { markedChange } from '../storage/marked-changes.ts';
import type { Queries } from '../storage/schema.ts';
import { replicaMark } from '../storage/timeline-sql.ts';
import { counter, highest, type Metric } from '../telemetry/metrics.ts';
import type { Change } from './data-plane.ts';

interface Parts {
  readonly lookup: Queries;
  readonly linkUrl: (host: string | null, suffix: string) => string;
  readonly warn: (event: string, facts: Record<string, unknown>) => void;
  readonly now: () => number;
}

/** No replica should lag by more. Changes are kept in the feed for much longer. */
const remembered = hourLength;
const maxRemembered = 5_000;
const maxCharacters = 1_000_000;
/** How much earlier a change may be dated than this process learned of its commit. */
const slack = 3_000;
const maxNamed = 20;
const maxPerQuery = 1_000;
const pause = 1_000;

interface OwnChange extends LinkAddress {
  readonly at: number;
}

/**
 * Reports the changes that a database has lost by going back in time: those of all nodes that this one had read from the feed, and
 * its own changes of links that it hadn't. The caches are cleared independently.
 */
export class LostChanges {
  readonly #parts: Parts;
  #read: LinkChange[] = [];
  #characters = 0;
  /** By domain and suffix: committed by this process, and not yet read from the feed. */
  #own = new Map<string, OwnChange>();
  #lost = 0;
  #isStopped = false;
  #checking: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A change was read from the feed. */
  read(change: LinkChange): void {
    if (this.#own.size > 0) this.#deleteRead(change);
    this.#read.push(change);
    this.#characters += change.suffixes.length;
    const oldest = this.#parts.now() - remembered;
    while (
      this.#read.length > maxRemembered ||
      this.#characters > maxCharacters ||
      (this.#read[0]?.at ?? oldest) < oldest
    )
      this.#characters -= this.#read.shift()?.suffixes.length ?? 0;
  }

  /** An earlier change of the same link may be read only now. */
  #deleteRead({ domain_id, suffixes, at }: LinkChange): void {
    for (const suffix of suffixesIn({ suffixes })) {
      const key = keyOf({ domain_id, suffix });
      if (at >= (this.#own.get(key)?.at ?? at) - slack) this.#own.delete(key);
    }
  }

  /** This process has committed a change. */
  committed({ links }: Change): void {
    const at = this.#parts.now();
    for (const { domainId, suffix } of links) {
      const own = { domain_id: domainId, suffix, at };
      this.#own.delete(keyOf(own));
      this.#own.set(keyOf(own), own);
    }
    for (const key of this.#own.keys()) {
      if (this.#own.size <= maxRemembered) break;
      this.#own.delete(key);
    }
  }

  /** The remembered changes belong to a former database; searches for them in the current one. */
  wentBack(): void {
    const [read, own] = [this.#read, this.#unread()];
    this.forget();
    this.#compareNext(read, own);
  }

  /** The feed has been read for the first time after an absence: changes of this process that were not in it may be lost. */
  feedResumed(): void {
    this.#compareNext([], this.#unread());
  }

  #unread(): readonly OwnChange[] {
    const oldest = this.#parts.now() - remembered;
    return [...this.#own.values()].filter(({ at }) => at > oldest);
  }

  #compareNext(read: readonly LinkChange[], own: readonly OwnChange[]): void {
    if (read.length + own.length > 0) this.#checking = this.#checking.then(() => this.#compare(read, own));
  }

  forget(): void {
    this.#read = [];
    this.#characters = 0;
    this.#own = new Map();
  }

  metrics(): readonly Metric[] {
    return [
      highest(
        counter(
          'linnet_changes_lost_total',
          'Changes that people had made, that this process knew of, and that a promoted replica or a restored backup did not have.',
          this.#lost,
        ),
      ),
    ];
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#checking;
  }

  /** The new primary may still be down, or replaying what it has received. */
  async #compare(read: readonly LinkChange[], own: readonly OwnChange[]): Promise<void> {
    while (!this.#isStopped) {
      try {
        const { timeline } = await databaseTimeline(this.#parts.lookup);
        if (!timeline?.includes(replicaMark)) {
          await this.#findLost(read, own);
          return;
        }
      } catch {
        // The follower of the feed reports that it is down.
      }
      await Bun.sleep(pause);
    }
  }

  async #findLost(read: readonly LinkChange[], own: readonly OwnChange[]): Promise<void> {
    const since = Math.min(...read.map(({ at }) => at), ...own.map(({ at }) => at)) - slack;
    const kept = new Set<string>();
    const latest = new Map<string, number>();
    for (let after = 0, isWhole = false; !isWhole; ) {
      const page = await changesSince(this.#parts.lookup, since, after, maxPerQuery);
      for (const change of page) {
        kept.add(markOf(change));
        noteLatest(latest, change);
      }
      after = page.at(-1)?.id ?? after;
      isWhole = page.length < maxPerQuery;
    }
    const lostRows = read.filter((change) => !kept.has(markOf(change)));
    // A change that was read before this process learned of its own commit is among the rows.
    for (const row of lostRows) noteLatest(latest, row);
    const lostOwn = own.filter((one) => (latest.get(keyOf(one)) ?? 0) < one.at - slack);
    for (const one of lostOwn) if (this.#own.get(keyOf(one)) === one) this.#own.delete(keyOf(one));
    if (lostRows.length + lostOwn.length > 0) await this.#report(lostRows, lostOwn);
  }

  async #report(rows: readonly LinkChange[], own: readonly OwnChange[]): Promise<void> {
    const addresses = new Map<string, LinkAddress>();
    for (const row of rows)
      for (const suffix of suffixesIn(row)) {
        const address = { domain_id: row.domain_id, suffix };
        addresses.set(keyOf(address), address);
      }
    for (const one of own) addresses.set(keyOf(one), one);
    const named = [...addresses.values()].slice(0, maxNamed);
    const names = await this.#namesOf(named);
    const count = rows.length + own.length;
    this.#lost += count;
    const ids = rows.map(({ id }) => id);
    const since = Math.min(...rows.map(({ at }) => at), ...own.map(({ at }) => at));
    this.#parts.warn('changes lost', {
      changes: count,
      ...(ids.length === 0 ? {} : { first_id: Math.min(...ids), last_id: Math.max(...ids) }),
      since: new Date(since).toISOString(),
      of: names,
      others: addresses.size - named.length,
    });
  }

  async #namesOf(addresses: readonly LinkAddress[]): Promise<readonly string[]> {
    const hosts = await hostsOfDomains(
      this.#parts.lookup,
      addresses.map(({ domain_id }) => domain_id),
    );
    return addresses.map(({ domain_id, suffix }) => {
      const marked = markedChange({ domain_id, suffixes: suffix });
      if (marked === null) return this.#parts.linkUrl(hosts.get(domain_id) ?? null, suffix);
      return marked.mark === 'user' ? `keys and role of user ${marked.what}` : marked.what;
    });
  }
}

/** The id alone is not enough: another change may get the same id later. */
const markOf = ({ id, at, domain_id, suffixes }: LinkChange): string =>
  `${id} ${at} ${domain_id} ${suffixes}`;

const keyOf = ({ domain_id, suffix }: LinkAddress): string => `${domain_id} ${suffix}`;

function noteLatest(latest: Map<string, number>, change: LinkChange): void {
  const { domain_id, at } = change;
  for (const suffix of suffixesIn(change)) {
    const key = keyOf({ domain_id, suffix });
    latest.set(key, Math.max(at, latest.get(key) ?? 0));
  }
}
