import { signal } from '@preact/signals';
import { type ApiError, asApiError } from '../api-error.ts';
import type { Click, ClickList } from '../api-types.ts';
import { call } from '../client.ts';
import { followHits, type StreamState, signedOut } from './live-stream.ts';
import { choiceOf, type Scope } from './scope.ts';
import type { Shown } from './shown-class.ts';

const perPage = 50;
/** The start of a page: after a hit, or where the previous page ended. */
type PageStart = { readonly before?: number; readonly cursor?: string };
/** How many hits are kept while new ones come in; older pages that were loaded are kept too. */
const maxKept = 500;
/** Hits that come in within this time are shown together. */
const batchDelay = 60;

/** Hits newest first: the page that was loaded, the hits since, and older pages as they are requested. */
export class Feed {
  /** Undefined until they have loaded. */
  readonly hits = signal<readonly Click[] | undefined>(undefined);
  /** New hits that are not shown yet, as the list is paused or scrolled. */
  readonly held = signal<readonly Click[]>([]);
  readonly total = signal(0);
  readonly streamState = signal<StreamState>({ kind: 'connecting' });
  readonly error = signal<ApiError | null>(null);
  readonly hasOlder = signal(false);
  readonly isReading = signal(false);
  readonly isPaused = signal(false);
  /** How many hits the stream has brought, and the last of them, for announcements. */
  readonly arrived = signal<{ readonly count: number; readonly last: Click | null }>({
    count: 0,
    last: null,
  });
  readonly #scope: Scope;
  readonly #shown: Shown;
  readonly #mayMove: () => boolean;
  #incoming: Click[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How to continue after a hit. */
  #older: { readonly after: number; readonly next: string } | null = null;
  /** More was held back than is kept, so hits are missing between those held and those shown. */
  #hasGap = false;
  #stop: (() => void) | undefined;

  /** `mayMove` is called before hits are put on top of the list. */
  constructor(scope: Scope, shown: Shown, mayMove: () => boolean) {
    this.#scope = scope;
    this.#shown = shown;
    this.#mayMove = mayMove;
  }

  start(): void {
    void this.readNewest();
    this.#stop = followHits(this.#shown, choiceOf(this.#scope), {
      onHit: (hit) => this.#take(hit),
      onState: (state) => {
        this.streamState.value = state;
        // Hits from before the stream began, or while it was interrupted.
        if (state.kind === 'live') void this.readNewest();
      },
      onRefused: () => void this.readNewest(),
    });
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#stop?.();
  }

  /** Called when another call finds that the session has ended. */
  awaitSignIn(): void {
    this.streamState.value = signedOut;
  }

  async readNewest(): Promise<void> {
    await this.#read({}, ({ clicks, total_clicks }) => {
      const known = this.#known();
      const fresh = clicks.filter(({ id }) => !known.has(id));
      // They came in while this page was on its way.
      const later = [...known].filter((id) => id > (clicks[0]?.id ?? 0)).length;
      const isUnbroken = fresh.length < clicks.length || this.hits.value === undefined;
      if (isUnbroken || clicks.length < perPage) this.#add(fresh);
      else this.#beginWith(clicks);
      this.total.value = total_clicks + later;
      if (this.hits.value?.length === clicks.length) this.hasOlder.value = total_clicks > clicks.length;
    });
  }

  /** A page may have fewer hits than it has room for, or none, and still not be the last. */
  async readOlder(): Promise<void> {
    const last = this.hits.value?.at(-1);
    if (!last || this.isReading.value) return;
    const cursor = this.#older?.after === last.id ? this.#older.next : undefined;
    await this.#read(cursor ? { cursor } : { before: last.id }, ({ clicks, next }) => {
      this.hits.value = [...(this.hits.value ?? []), ...clicks];
      this.hasOlder.value = next !== undefined;
      this.#older = next === undefined ? null : { after: clicks.at(-1)?.id ?? last.id, next };
    });
  }

  /** Shows the hits that were held back. */
  release(): void {
    if (this.#hasGap) this.#begin(this.held.value);
    else this.#show([...this.held.value, ...(this.hits.value ?? [])]);
  }

  pause(isPaused: boolean): void {
    this.isPaused.value = isPaused;
    if (!isPaused) this.release();
  }

  #take(hit: Click): void {
    this.#incoming.push(hit);
    this.#timer ??= setTimeout(() => this.#gathered(), batchDelay);
  }

  #gathered(): void {
    this.#timer = undefined;
    const known = this.#known();
    const fresh = this.#incoming.filter(({ id }) => !known.has(id));
    this.#incoming = [];
    if (fresh.length === 0) return;
    this.total.value += fresh.length;
    this.arrived.value = { count: this.arrived.value.count + fresh.length, last: fresh.at(-1) ?? null };
    this.#add(fresh);
  }

  #add(fresh: readonly Click[]): void {
    if (fresh.length === 0 && this.hits.value !== undefined) return;
    const isFirst = this.hits.value === undefined || this.hits.value.length === 0;
    const held = newestFirst([...fresh, ...this.held.value]);
    if (isFirst || (!this.isPaused.value && this.#mayMove())) {
      this.#show(newestFirst([...held, ...(this.hits.value ?? [])]));
      return;
    }
    this.#hasGap ||= held.length > maxKept;
    this.held.value = held.slice(0, maxKept);
  }

  /** Hits that are cut off at the end can be loaded again as older ones. */
  #show(hits: readonly Click[]): void {
    const max = Math.max(maxKept, this.hits.value?.length ?? 0);
    this.held.value = [];
    this.hits.value = hits.slice(0, max);
    if (hits.length > max) this.hasOlder.value = true;
  }

  /** Replaces the list by a page with a gap before the hits shown; holds it back while the list must not move. */
  #beginWith(clicks: readonly Click[]): void {
    if (!this.isPaused.value && this.#mayMove()) {
      this.#begin(clicks);
      return;
    }
    this.held.value = clicks;
    this.#hasGap = true;
  }

  /** Replaces the list, rather than leave a gap in it. */
  #begin(clicks: readonly Click[]): void {
    this.#hasGap = false;
    this.held.value = [];
    this.hits.value = clicks;
    this.hasOlder.value = true;
  }

  #known(): ReadonlySet<number> {
    return new Set([...this.held.value, ...(this.hits.value ?? [])].map(({ id }) => id));
  }

  async #read(from: PageStart, onPage: (page: ClickList) => void): Promise<void> {
    this.isReading.value = true;
    try {
      const page = await this.#page(from);
      this.error.value = null;
      onPage(page);
    } catch (cause) {
      this.error.value = asApiError(cause);
    } finally {
      this.isReading.value = false;
    }
  }

  #page(from: PageStart): Promise<ClickList> {
    const query = { class: this.#shown, limit: perPage, ...from };
    return this.#scope.kind === 'link'
      ? call('GET /api/v1/link/{id}/clicks', { params: { id: this.#scope.link.id }, query })
      : call('GET /api/v1/clicks', { query: { ...query, ...this.#scope.chosen } });
  }
}

const newestFirst = (hits: readonly Click[]): readonly Click[] => hits.toSorted((a, b) => b.id - a.id);
