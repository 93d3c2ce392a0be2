import type { Attempt } from '../../src/webhooks/guarded-request.ts';
import type { World } from './world.ts';

interface Outgoing {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal;
}

/** The target of webhooks, behind an unreliable network. Records the ids under which each click arrived. */
export class SimulatedTarget {
  readonly #world: World;
  readonly received = new Map<string, Set<string>>();
  posts = 0;
  isUnavailable = false;
  /** Whether some calls and responses are lost. */
  isUnreliable = true;

  constructor(world: World) {
    this.#world = world;
  }

  readonly post = async (target: string, { headers, body, signal }: Outgoing): Promise<Attempt> => {
    const world = this.#world;
    const failed = { kind: 'failed', sentence: 'simulated', duration: 1, fault: 'connection' } as const;
    await world.pause(world.below(200));
    if (this.isUnavailable || this.#isLost(0.1) || signal?.aborted) return failed;
    this.posts += 1;
    const { payload, ...flat } = JSON.parse(body);
    const { utm_campaign, utm_content } = payload ?? flat;
    const click = `${target} ${utm_campaign}.${utm_content}`;
    const ids = this.received.get(click) ?? new Set();
    this.received.set(click, ids.add(headers['webhook-id'] ?? ''));
    // The call has arrived, but the response is lost.
    if (this.#isLost(0.1)) return failed;
    await world.pause(world.below(200));
    if (signal?.aborted) return failed;
    const status = this.#isLost(0.05) ? 500 : 200;
    return { kind: 'answered', status, retryAfter: null, location: null, excerpt: '', duration: 1 };
  };

  #isLost(probability: number): boolean {
    return this.isUnreliable && this.#world.happens(probability);
  }
}
