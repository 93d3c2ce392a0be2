import { iconType } from '../../rules/destinations/icon-type.ts';
import { decodePage, pageHead } from '../../rules/destinations/page-head.ts';
import { dayLength } from '../../rules/durations.ts';
import { Refusal, StoreUnavailable } from '../../rules/errors.ts';
import * as stored from '../../storage/destinations/due-pages.ts';
import { findIcon, hasIcon, type StoredIcon, storeIcon } from '../../storage/destinations/page-icons.ts';
import { idsOf } from '../../storage/rows.ts';
import { type FetchedPage, guardedPage, type PageOptions } from '../../webhooks/guarded-page.ts';
import type { Context } from '../context.ts';

/** Destinations fetched at once by one node, each on a host of its own. */
const atOnce = 8;
/** By then a fetch has long ended, or its node has crashed. */
const claimLength = 60_000;
/** Milliseconds between two requests to a host. */
const hostPause = 1_000;
/** How many of a host's links are checked for one that still exists and leads to the host. */
const perClaim = 100;
/** Bytes. Titles are at the beginning. */
const maxPage = 256 * 1024;
const maxIcon = 32 * 1024;
const iconsTried = 2;
/** An icon that another link uses too is not fetched again for this long. */
const iconKept = 7 * dayLength;

/**
 * Fetches the destinations of links that are new or have a new destination, for the title and the icon of the page. Hosts take
 * turns; of a host's links the newest is first, because a user may be looking at it. Each host is claimed by one node; the hosts of
 * a node that crashes are taken over. Each link is fetched once, whatever the result.
 */
export class PageFetcher {
  readonly #context: Context;
  readonly #options: PageOptions;
  readonly #onFault: (cause: unknown) => void;
  readonly #stopping = new AbortController();
  readonly #active = new Set<Promise<void>>();
  /** The host that was claimed last: the next turn is that of the one after it. */
  #last = '';

  constructor(context: Context, options: PageOptions, onFault: (cause: unknown) => void) {
    this.#context = context;
    this.#options = options;
    this.#onFault = onFault;
  }

  /** Starts the fetches that are due, up to the limit, without waiting for their end. */
  async run(): Promise<void> {
    const { database, now } = this.#context;
    const room = atOnce - this.#active.size;
    if (room <= 0) return;
    const next = (after: string, max: number) => stored.hostsDue(database.read, now(), { after, max });
    const hosts = await next(this.#last, room);
    if (hosts.length < room && this.#last !== '') hosts.push(...(await next('', room - hosts.length)));
    for (const host of new Set(hosts)) {
      if (this.#stopping.signal.aborted) return;
      this.#last = host;
      const page = await this.#claim(host);
      if (page) this.#begin(host, page);
    }
  }

  async #claim(host: string): Promise<stored.DuePage | null> {
    const { database, now } = this.#context;
    return database.write(async (queries) => {
      if (!(await stored.claimHost(queries, host, now(), now() + claimLength))) return null;
      const waiting = await stored.lockNewestDue(queries, host, perClaim);
      const isDue = (page: (typeof waiting)[number]): page is stored.DuePage =>
        page.destination_url !== null && hostOf(page.destination_url) === host;
      const page = waiting.find(isDue);
      const obsolete = page ? waiting.slice(0, waiting.indexOf(page)) : waiting;
      await stored.deleteDue(queries, host, idsOf(obsolete));
      if (!page) await stored.freeHost(queries, host, now());
      return page ?? null;
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#active);
  }

  #begin(host: string, page: stored.DuePage): void {
    const check = this.#check(host, page)
      .catch(async (cause) => {
        // The claim expires by itself, and then it is fetched again.
        if (cause instanceof StoreUnavailable || cause instanceof Refusal) return;
        this.#onFault(cause);
        // It would fail again, and hold up the host's other links.
        const { database } = this.#context;
        await database.write((queries) => stored.deleteDue(queries, host, [page.id])).catch(this.#onFault);
      })
      .finally(() => this.#active.delete(check));
    this.#active.add(check);
  }

  async #check(host: string, page: stored.DuePage): Promise<void> {
    const { database, now } = this.#context;
    const found = await this.#fetch(page.destination_url, {
      accept: 'text/html,application/xhtml+xml;q=0.9',
      acceptsType: (type) => /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(type),
      max: maxPage,
      mustBeWhole: false,
    });
    const head = found && pageHead(decodePage(found.bytes, found.contentType));
    const icon = found && head && (await this.#iconOf(found, head.icons));
    // An aborted request has no result.
    if (this.#stopping.signal.aborted) return;
    await database.write(async (queries) => {
      await stored.finishDue(queries, host, page, { page_title: head?.title || null, page_icon: icon });
      await stored.freeHost(queries, host, now() + hostPause);
    });
  }

  /** The key of the page's icon, which has been stored. */
  async #iconOf(page: FetchedPage, iconUrls: readonly string[]): Promise<string | null> {
    const { database, secrets, now } = this.#context;
    for (const href of [...iconUrls.slice(0, iconsTried - 1), '/favicon.ico']) {
      const url = URL.parse(href, page.url);
      if (url === null) continue;
      const key = secrets.sign('icon', url.href, 32);
      if (await hasIcon(database.read, key, now() - iconKept)) return key;
      const found = await this.#fetch(url.href, {
        accept: 'image/png,image/x-icon,image/gif',
        acceptsType: () => true,
        max: maxIcon,
        mustBeWhole: true,
      });
      const type = found && iconType(found.bytes);
      if (!found || !type) continue;
      const content = Buffer.from(found.bytes).toString('base64');
      await database.write((queries) => storeIcon(queries, key, { type, content }, now()));
      return key;
    }
    return null;
  }

  #fetch(
    url: string,
    request: Omit<Parameters<typeof guardedPage>[1], 'signal'>,
  ): Promise<FetchedPage | null> {
    const { signal } = this.#stopping;
    return guardedPage(url, { ...request, signal }, this.#context.webhooks.allowed, this.#options);
  }
}

const hostOf = (destination: string): string | null => URL.parse(destination)?.host || null;

/** The host from which a destination's page is fetched; null if it isn't: by setting, or because it isn't a web page. */
export const pageHost = ({ config }: Pick<Context, 'config'>, destination: string): string | null =>
  config.fetchTitles === 'on' && /^https?:/i.test(destination) ? hostOf(destination) : null;

export const readIcon = (
  { database }: Pick<Context, 'database'>,
  key: string,
): Promise<StoredIcon | undefined> => findIcon(database.read, key);
