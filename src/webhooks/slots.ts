export interface SlotLimits {
  readonly overall: number;
  readonly perOrganization: number;
  readonly perHost: number;
  readonly perTarget: number;
}

interface Holder {
  readonly target_url: string;
  readonly organization_id: number;
}

interface Share {
  readonly target: string;
  readonly max: number;
}

/** Counts the calls in flight, so that no target, host or organization takes all slots. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #targets = new Map<string, number>();
  readonly #hosts = new Map<string, number>();
  readonly #organizations = new Map<number, number>();
  #taken = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get free(): number {
    return Math.max(0, this.#limits.overall - this.#taken);
  }

  take(holder: Holder): void {
    this.#count(holder, 1);
  }

  release(holder: Holder): void {
    this.#count(holder, -1);
  }

  /** Organizations that are at their limit once the claimed deliveries are under way too. */
  fullOrganizations(claimed: readonly Holder[]): number[] {
    const counts = new Map(this.#organizations);
    for (const { organization_id } of claimed) add(counts, organization_id, 1);
    return [...counts]
      .filter(([, taken]) => taken >= this.#limits.perOrganization)
      .map(([organization]) => organization);
  }

  /** Divides the free slots: an equal share for each target, up to its limits. */
  shares(targets: readonly string[]): Share[] {
    const hosts = new Map(this.#hosts);
    const room = (target: string) =>
      Math.min(
        this.#limits.perTarget - (this.#targets.get(target) ?? 0),
        this.#limits.perHost - (hosts.get(hostOf(target)) ?? 0),
      );
    const targetsWithRoom = targets.filter((target) => room(target) > 0);
    const equalShare = Math.max(1, Math.floor(this.free / Math.max(1, targetsWithRoom.length)));
    const shares: Share[] = [];
    let remaining = this.free;
    for (const target of targetsWithRoom) {
      const max = Math.min(room(target), equalShare, remaining);
      if (max <= 0) continue;
      shares.push({ target, max });
      add(hosts, hostOf(target), max);
      remaining -= max;
    }
    return shares;
  }

  #count({ target_url, organization_id }: Holder, difference: number): void {
    this.#taken += difference;
    add(this.#targets, target_url, difference);
    add(this.#hosts, hostOf(target_url), difference);
    add(this.#organizations, organization_id, difference);
  }
}

/** With its port: two services on one machine are separate. */
const hostOf = (target: string): string => URL.parse(target)?.host ?? '';

function add<Key>(counts: Map<Key, number>, key: Key, difference: number): void {
  const count = (counts.get(key) ?? 0) + difference;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
