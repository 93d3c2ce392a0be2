import type { DeliveryQueue } from '../storage/webhooks/webhook-queue.ts';

export interface SlotLimits {
  readonly overall: number;
  readonly perOrganization: number;
  readonly perHost: number;
  readonly perTarget: number;
}

/** Counts the calls in flight, so that no target, host or organization takes all slots. */
export class Slots {
  readonly #limits: SlotLimits;
  #targets = new Map<string, number>();
  #hosts = new Map<string, number>();
  #organizations = new Map<number, number>();
  #taken = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get free(): number {
    return Math.max(0, this.#limits.overall - this.#taken);
  }

  take(queue: DeliveryQueue): void {
    this.#count(queue, 1);
  }

  release(queue: DeliveryQueue): void {
    this.#count(queue, -1);
  }

  /**
   * Divides the free slots among queues. Organizations take turns, those with the fewest calls in flight first; so do the queues
   * of each.
   */
  shares(queues: readonly DeliveryQueue[]): { readonly queue: DeliveryQueue; readonly max: number }[] {
    const slots = this.#copy();
    const shares = new Map<DeliveryQueue, number>();
    const inFlight = (organization: number) => this.#organizations.get(organization) ?? 0;
    let turns = [...Map.groupBy(queues, ({ organization_id }) => organization_id)]
      .sort(([one], [other]) => inFlight(one) - inFlight(other))
      .map(([, ofOrganization]) => ofOrganization);
    while (turns.length > 0) {
      turns = turns.filter((waiting) => {
        const queue = slots.#shiftOneWithRoom(waiting);
        if (queue === undefined) return false;
        slots.take(queue);
        add(shares, queue, 1);
        waiting.push(queue);
        return true;
      });
    }
    return [...shares].map(([queue, max]) => ({ queue, max }));
  }

  #copy(): Slots {
    const copy = new Slots(this.#limits);
    copy.#targets = new Map(this.#targets);
    copy.#hosts = new Map(this.#hosts);
    copy.#organizations = new Map(this.#organizations);
    copy.#taken = this.#taken;
    return copy;
  }

  /** Drops those before it: there is no room for them. */
  #shiftOneWithRoom(waiting: DeliveryQueue[]): DeliveryQueue | undefined {
    for (let queue = waiting.shift(); queue !== undefined; queue = waiting.shift())
      if (this.#hasRoom(queue)) return queue;
    return undefined;
  }

  #hasRoom({ target_url, organization_id }: DeliveryQueue): boolean {
    const { perTarget, perHost, perOrganization } = this.#limits;
    return (
      this.free > 0 &&
      (this.#organizations.get(organization_id) ?? 0) < perOrganization &&
      (this.#targets.get(target_url) ?? 0) < perTarget &&
      (this.#hosts.get(hostOf(target_url)) ?? 0) < perHost
    );
  }

  #count({ target_url, organization_id }: DeliveryQueue, difference: number): void {
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
