import { signal } from '@preact/signals';
import type { Click } from '../api-types.ts';
import { call } from '../client.ts';
import { asTrouble, type Trouble } from '../trouble.ts';
import { followHits, type Standing } from './live-stream.ts';
import type { Scope } from './scope.ts';
import type { Shown } from './shown-class.ts';

const perPage = 50;
const mostKept = 2_000;

/** Hits newest first: the page that was read, what came in since, and older pages as they are asked for. */
export class Feed {
  /** undefined: not read yet. */
  readonly hits = signal<readonly Click[] | undefined>(undefined);
  /** Came in while the list was to stand still. */
  readonly held = signal<readonly Click[]>([]);
  readonly total = signal(0);
  readonly standing = signal<Standing>({ kind: 'connecting' });
  readonly trouble = signal<Trouble | null>(null);
  readonly hasOlder = signal(false);
  readonly isReading = signal(false);
  readonly isPaused = signal(false);
  /** The latest to have come in by themselves, for who has to be told. */
  readonly latest = signal<readonly Click[]>([]);
  readonly #scope: Scope;
  readonly #shown: Shown;
  readonly #mayMove: () => boolean;
  #stop: (() => void) | undefined;

  /** `mayMove` is asked before hits are put on top of what somebody reads. */
  constructor(scope: Scope, shown: Shown, mayMove: () => boolean) {
    this.#scope = scope;
    this.#shown = shown;
    this.#mayMove = mayMove;
  }

  start(): void {
    void this.readNewest();
    this.#stop = followHits(this.#shown, {
      onHit: (hit) => this.#take(hit),
      onStanding: (standing) => {
        this.standing.value = standing;
        // What came in before the stream began, or while it was broken.
        if (standing.kind === 'live') void this.readNewest();
      },
    });
  }

  stop(): void {
    this.#stop?.();
  }

  async readNewest(): Promise<void> {
    this.isReading.value = true;
    try {
      const { clicks, total_clicks } = await this.#page();
      const known = this.#known();
      const fresh = clicks.filter(({ id }) => !known.has(id));
      const isUnbroken = fresh.length < clicks.length || this.hits.value === undefined;
      this.trouble.value = null;
      if (isUnbroken || clicks.length < perPage) this.#add(fresh);
      else this.#begin(clicks);
      this.total.value = total_clicks;
      if (this.hits.value?.length === clicks.length) this.hasOlder.value = total_clicks > clicks.length;
    } catch (cause) {
      this.trouble.value = asTrouble(cause);
    } finally {
      this.isReading.value = false;
    }
  }

  async readOlder(): Promise<void> {
    const last = this.hits.value?.at(-1);
    if (!last || this.isReading.value) return;
    this.isReading.value = true;
    try {
      const { clicks } = await this.#page(last.id);
      this.trouble.value = null;
      this.hits.value = [...(this.hits.value ?? []), ...clicks];
      this.hasOlder.value = clicks.length === perPage;
    } catch (cause) {
      this.trouble.value = asTrouble(cause);
    } finally {
      this.isReading.value = false;
    }
  }

  /** Shows what was held back. */
  release(): void {
    this.#show([...this.held.value, ...(this.hits.value ?? [])]);
  }

  pause(isPaused: boolean): void {
    this.isPaused.value = isPaused;
    if (!isPaused) this.release();
  }

  #take(hit: Click): void {
    if (this.#scope.kind === 'link' && hit.link_id !== this.#scope.link.id) return;
    if (this.#known().has(hit.id)) return;
    this.total.value += 1;
    this.#add([hit]);
    this.latest.value = [hit];
  }

  #add(fresh: readonly Click[]): void {
    if (fresh.length === 0 && this.hits.value !== undefined) return;
    const isFirst = this.hits.value === undefined || this.hits.value.length === 0;
    if (!isFirst && (this.isPaused.value || !this.#mayMove())) {
      this.held.value = newestFirst([...fresh, ...this.held.value]).slice(0, mostKept);
      return;
    }
    this.#show(newestFirst([...fresh, ...this.held.value, ...(this.hits.value ?? [])]));
  }

  /** What falls off the end is there again with the older ones. */
  #show(hits: readonly Click[]): void {
    this.held.value = [];
    this.hits.value = hits.slice(0, mostKept);
    if (hits.length > mostKept) this.hasOlder.value = true;
  }

  /** More came in than a page holds while nobody listened: begins anew rather than leave a gap. */
  #begin(clicks: readonly Click[]): void {
    this.held.value = [];
    this.hits.value = clicks;
    this.hasOlder.value = true;
  }

  #known(): ReadonlySet<number> {
    return new Set([...this.held.value, ...(this.hits.value ?? [])].map(({ id }) => id));
  }

  #page(before?: number): Promise<{ readonly clicks: readonly Click[]; readonly total_clicks: number }> {
    const query = { class: this.#shown, limit: perPage, ...(before && { before }) };
    return this.#scope.kind === 'link'
      ? call('GET /api/v1/link/{id}/clicks', { params: { id: this.#scope.link.id }, query })
      : call('GET /api/v1/clicks', { query });
  }
}

const newestFirst = (hits: readonly Click[]): readonly Click[] => hits.toSorted((a, b) => b.id - a.id);
