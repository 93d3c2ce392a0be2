import { externalHits } from '../../ledger/external-hits.ts';
import { deleteSomeHits } from '../../ledger/retention/delete-hits.ts';
import { hourLength } from '../../rules/durations.ts';
import {
  binnedIdsOf,
  deletedOrganizations,
  deleteOrganization,
  deleteSomeOf,
  linkIdsOf,
} from '../../storage/accounts/deleted-organizations.ts';
import { binnedBefore, purgeLinks } from '../../storage/links/empty-bin.ts';
import { deleteSomeCountsOf } from '../../storage/links/link-records.ts';
import { knowsAllHits } from '../../storage/moved-hits.ts';
import { requestWordSweep } from '../../storage/word-sweeps.ts';
import type { Context } from '../context.ts';
import { deleteLinks } from '../links/delete-link.ts';

/** Few enough that no other change waits long for them. */
const linksAtOnce = 500;
const rowsAtOnce = 1_000;
/** How long one run works, in milliseconds: then other work has the database until the next run. */
const timeSlice = 1_000;
/** Hits of its links may have waited in a journal: their counts are deleted when it is checked again. */
const recheckInterval = hourLength;

/** The progress of clearing away one deleted organization. */
interface Progress {
  /** The counts of its deleted links up to this id have been deleted. */
  countsUpTo: number;
  /** Whether it may have had hits or counts: their words are deleted as well. */
  hasHits: boolean;
  /** When everything had been deleted except the suffixes, which stay reserved like those of any deleted link. */
  clearedAt: number | null;
}

/** Clears away organizations without members, part by part. Any node may do it, and several at once. */
export class DeletedOrganizations {
  readonly #context: Context;
  readonly #progress = new Map<number, Progress>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** One run. */
  async clear(): Promise<void> {
    const { database, now } = this.#context;
    const until = performance.now() + timeSlice;
    for (const { id } of await deletedOrganizations(database.read)) {
      const progress = this.#progress.get(id) ?? { countsUpTo: 0, hasHits: true, clearedAt: null };
      this.#progress.set(id, progress);
      if (progress.clearedAt !== null && now() - progress.clearedAt < recheckInterval) continue;
      if (!(await knowsAllHits(database))) return;
      let hasMore = true;
      while (hasMore && performance.now() < until) hasMore = await this.#clearSome(id, progress);
      if (hasMore) return;
      if (progress.hasHits) {
        await externalHits(database)?.deleteOrganization(id);
        await database.write(requestWordSweep);
      }
      progress.hasHits = false;
      progress.countsUpTo = 0;
      progress.clearedAt = now();
      if (await database.write((queries) => deleteOrganization(queries, id))) this.#progress.delete(id);
    }
  }

  async #clearSome(id: number, progress: Progress): Promise<boolean> {
    const { database, now } = this.#context;
    const links = await linkIdsOf(database.read, id, linksAtOnce);
    if (links.length > 0) {
      const caller = { userId: 0, organizationId: id, role: 'administrator', via: 'linnet' } as const;
      await deleteLinks(this.#context, caller, links, true);
      return true;
    }
    const deleted = await binnedBefore(database.read, id, now(), rowsAtOnce);
    if (deleted.length > 0) {
      await database.write((queries) => purgeLinks(queries, id, deleted, 0, now()));
      return true;
    }
    const counted = await binnedIdsOf(database.read, id, progress.countsUpTo, linksAtOnce);
    if (counted.length > 0) {
      const hasMore = await database.write((queries) => deleteSomeCountsOf(queries, counted, rowsAtOnce));
      if (!hasMore) progress.countsUpTo = counted.at(-1) ?? 0;
      return true;
    }
    const hasDeleted = await database.write(
      async (queries) =>
        (await deleteSomeHits(queries, id, rowsAtOnce)) || (await deleteSomeOf(queries, id, rowsAtOnce)),
    );
    if (hasDeleted) progress.hasHits = true;
    return hasDeleted;
  }
}
