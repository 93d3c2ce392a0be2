import { signal } from '@preact/signals';
import { type ApiError, asApiError } from '../api-error.ts';
import type { Click, ClickList } from '../api-types.ts';
import { followHits, type StreamState, signedOut } from './live-stream.ts';
import { choiceOf, loadHits, type Scope } from './scope.ts';
import type { ShownClass } from './shown-class.ts';

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
  /** Whether older hits are being loaded. */
  readonly isLoading = signal(false);
  readonly isPaused = signal(false);
  /** How many hits the stream has delivered, and the last of them, for announcements. */
  readonly arrived = signal<{ readonly count: number; readonly last: Click | null }>({
    count: 0,
    last: null,
  });
  readonly #scope: Scope;
  readonly #shown: ShownClass;
  readonly #mayMove: () => boolean;
  #incoming: Click[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The cursor of the page after a hit. */
  #older: { readonly after: number; readonly next: string } | null = null;
  /** More was held back than is kept, so hits are missing between those held and those shown. */
  #hasGap = false;
  #stop: (() => void) | undefined;
  #isStopped = false;

  /** `mayMove` returns whether hits may be put on top of the list now. */
  constructor(scope: Scope, shown: ShownClass, mayMove: () => boolean) {
    this.#scope = scope;
    this.#shown = shown;
    this.#mayMove = () => !this.isPaused.value && mayMove();
  }

  /** It may be started again after a stop, once the user has signed in again. */
  start(): void {
    this.#isStopped = false;
    void this.loadNewest();
    this.#stop = followHits(this.#shown, choiceOf(this.#scope), {
      onHit: (hit) => this.#receive(hit),
      onState: (state) => {
        this.streamState.value = state;
        // Loads the hits from before the stream began, or while it was interrupted.
        if (state.kind === 'live') void this.loadNewest();
      },
      onRefused: () => void this.loadNewest(),
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stop?.();
  }

  /** Called when another call finds that the session has ended. */
  awaitSignIn(): void {
    this.streamState.value = signedOut;
  }

  async loadNewest(): Promise<void> {
    // Hits that the stream delivers while the page is loading say nothing about where the page ends.
    const before = this.#known();
    await this.#load({}, ({ clicks, total_clicks, next }) => {
      const known = this.#known();
      const fresh = clicks.filter(({ id }) => !known.has(id));
      // Hits that came in while this page was loading.
      const later = this.#all().filter(({ id }) => id > (clicks[0]?.id ?? 0));
      const isContiguous = clicks.some(({ id }) => before.has(id)) || this.hits.value === undefined;
      if (isContiguous || next === undefined) this.#add(fresh);
      else this.#replaceOrHold(newestFirst([...later, ...clicks]));
      this.total.value = total_clicks + later.length;
      if (this.hits.value?.at(-1)?.id === clicks.at(-1)?.id) this.hasOlder.value = next !== undefined;
    });
  }

  async loadOlder(): Promise<void> {
    const last = this.hits.value?.at(-1);
    if (!last || this.isLoading.value) return;
    const cursor = this.#older?.after === last.id ? this.#older.next : undefined;
    this.isLoading.value = true;
    await this.#load(cursor ? { cursor } : { before: last.id }, ({ clicks, next }) => {
      // The list was replaced meanwhile.
      if (this.hits.value?.at(-1)?.id !== last.id) return;
      this.hits.value = [...(this.hits.value ?? []), ...clicks];
      this.hasOlder.value = next !== undefined;
      this.#older = next === undefined ? null : { after: clicks.at(-1)?.id ?? last.id, next };
    });
    this.isLoading.value = false;
  }

  /** Once it goes on, the hits that were held back are shown. */
  pause(isPaused: boolean): void {
    this.isPaused.value = isPaused;
    if (isPaused) return;
    if (this.#hasGap) this.#replace(this.held.value);
    else this.#show([...this.held.value, ...(this.hits.value ?? [])]);
  }

  #receive(hit: Click): void {
    this.#incoming.push(hit);
    this.#timer ??= setTimeout(() => this.#addIncoming(), batchDelay);
  }

  #addIncoming(): void {
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
    if (isFirst || this.#mayMove()) {
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

  /** Replaces the list with a page that is not contiguous with the hits shown; holds the page back while the list must not move. */
  #replaceOrHold(clicks: readonly Click[]): void {
    if (this.#mayMove()) this.#replace(clicks);
    else {
      this.held.value = clicks;
      this.#hasGap = true;
    }
  }

  /** Replaces the list, rather than leave a gap in it. */
  #replace(clicks: readonly Click[]): void {
    this.#hasGap = false;
    this.held.value = [];
    this.hits.value = clicks;
    this.hasOlder.value = true;
  }

  #all(): readonly Click[] {
    return [...this.held.value, ...(this.hits.value ?? [])];
  }

  #known(): ReadonlySet<number> {
    return new Set(this.#all().map(({ id }) => id));
  }

  async #load(from: PageStart, onPage: (page: ClickList) => void): Promise<void> {
    try {
      let page = await this.#page(from);
      // A page may have fewer hits than it has room for, or none, and still not be the last.
      while (page.clicks.length === 0 && page.next !== undefined && !this.#isStopped)
        page = await this.#page({ cursor: page.next });
      this.error.value = null;
      onPage(page);
    } catch (cause) {
      this.error.value = asApiError(cause);
    }
  }

  #page(from: PageStart): Promise<ClickList> {
    return loadHits(this.#scope, { class: this.#shown, limit: perPage, ...from });
  }
}

const newestFirst = (hits: readonly Click[]): readonly Click[] => hits.toSorted((a, b) => b.id - a.id);
