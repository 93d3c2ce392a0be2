import { Refusal, StoreAway } from '../rules/errors.ts';
import { iconType } from '../rules/icon-type.ts';
import { decodePage, pageHead } from '../rules/page-head.ts';
import * as stored from '../storage/destination-pages.ts';
import { type FetchedPage, guardedPage, type PageOptions } from '../webhooks/guarded-page.ts';
import type { Context } from './context.ts';

/** Destinations fetched at once by one node, each on a host of its own. */
const atOnce = 8;
const perClaim = 100;
/** By then a fetch has long ended, or its node has died. */
const claimLength = 60_000;
/** Milliseconds between two requests to a host, and until it is checked again whether the host is free. */
const hostRest = 1_000;
const busyWait = 2_000;
/** Bytes. Titles are at the beginning. */
const maxPage = 256 * 1024;
const maxIcon = 32 * 1024;
const iconsTried = 2;
/** An icon that another link uses too is not fetched again for so long. */
const iconKept = 7 * 24 * 60 * 60 * 1000;

/**
 * Fetches the destinations of links that are new or have a new destination, for the title and the icon of the page. The store
 * knows which are due: each is claimed by one node, and those of a node that dies are taken over. It is done once, whatever the
 * result.
 */
export class PageFetcher {
  readonly #context: Context;
  readonly #options: PageOptions;
  readonly #onFault: (cause: unknown) => void;
  readonly #stopping = new AbortController();
  readonly #active = new Set<Promise<void>>();

  constructor(context: Context, options: PageOptions, onFault: (cause: unknown) => void) {
    this.#context = context;
    this.#options = options;
    this.#onFault = onFault;
  }

  /** Starts what is due, as far as there is room, without waiting for the end. */
  async run(): Promise<void> {
    const { database, now } = this.#context;
    while (this.#active.size < atOnce && !this.#stopping.signal.aborted) {
      if (!(await stored.hasDuePages(database.read, now()))) return;
      const begun = await database.write(async (queries) => {
        const due = await stored.lockDuePages(queries, now(), perClaim);
        const chosen = new Map<string, stored.DuePage>();
        const postponed: { readonly id: number; readonly until: number }[] = [];
        const waiting = new Map<string, number>();
        for (const page of due.sort((one, other) => one.id - other.id)) {
          const host = hostOf(page.destination_url);
          const isAskedFor = chosen.has(host) || waiting.has(host);
          const hasRoom = this.#active.size + chosen.size < atOnce;
          const claimed = now() + claimLength;
          if (!isAskedFor && hasRoom && (await stored.claimHost(queries, host, now(), claimed))) {
            chosen.set(host, page);
            postponed.push({ id: page.id, until: claimed });
          } else {
            // Pages of one host become due again one after the other, and not all of them each time.
            const turn = (waiting.get(host) ?? 0) + 1;
            waiting.set(host, turn);
            postponed.push({ id: page.id, until: now() + turn * busyWait });
          }
        }
        await stored.setPagesDue(queries, postponed);
        return { chosen, isAll: due.length < perClaim };
      });
      for (const [host, page] of begun.chosen) this.#begin(host, page);
      if (begun.isAll) return;
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#active);
  }

  #begin(host: string, page: stored.DuePage): void {
    const look = this.#check(host, page)
      .catch((cause) => {
        // The claim expires by itself, and then it is fetched again.
        if (!(cause instanceof StoreAway) && !(cause instanceof Refusal)) this.#onFault(cause);
      })
      .finally(() => this.#active.delete(look));
    this.#active.add(look);
  }

  async #check(host: string, page: stored.DuePage): Promise<void> {
    const { database, now } = this.#context;
    const found = await this.#fetch(page.destination_url, {
      accept: 'text/html,application/xhtml+xml;q=0.9',
      isWanted: (type) => /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type),
      max: maxPage,
      whole: false,
    });
    const head = found && pageHead(decodePage(found.bytes, found.contentType));
    const icon = found && head && (await this.#iconOf(found, head.icons));
    // An aborted request says nothing about the page.
    if (this.#stopping.signal.aborted) return;
    await database.write(async (queries) => {
      await stored.setPage(queries, page, { page_title: head?.title || null, page_icon: icon });
      await stored.freeHost(queries, host, now() + hostRest);
    });
  }

  /** The key of the page's icon, which has been stored. */
  async #iconOf(page: FetchedPage, named: readonly string[]): Promise<string | null> {
    const { database, secrets, now } = this.#context;
    for (const href of [...named.slice(0, iconsTried - 1), '/favicon.ico']) {
      const url = URL.parse(href, page.url);
      if (url === null) continue;
      const key = secrets.sign('icon', url.href, 32);
      if (await stored.hasIcon(database.read, key, now() - iconKept)) return key;
      const found = await this.#fetch(url.href, {
        accept: 'image/png,image/x-icon,image/gif',
        isWanted: () => true,
        max: maxIcon,
        whole: true,
      });
      const type = found && iconType(found.bytes);
      if (!found || !type) continue;
      const content = Buffer.from(found.bytes).toString('base64');
      await database.write((queries) => stored.storeIcon(queries, key, { type, content }, now()));
      return key;
    }
    return null;
  }

  #fetch(
    url: string,
    wanted: Omit<Parameters<typeof guardedPage>[1], 'signal'>,
  ): Promise<FetchedPage | null> {
    const { signal } = this.#stopping;
    return guardedPage(url, { ...wanted, signal }, this.#context.webhooks.allowed, this.#options);
  }
}

const hostOf = (destination: string): string => URL.parse(destination)?.host ?? '';

/** When the page of a new destination is due; null if it isn't fetched: by setting, or because it is no web page. */
export const pageDueAt = (
  { config, now }: Pick<Context, 'config' | 'now'>,
  destination: string,
): number | null => (config.fetchTitles === 'on' && /^https?:/i.test(destination) ? now() : null);

export const readIcon = (
  { database }: Pick<Context, 'database'>,
  key: string,
): Promise<stored.StoredIcon | undefined> => stored.findIcon(database.read, key);
