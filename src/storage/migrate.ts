import { sql } from 'kysely';
import type { Database } from './database.ts';
import { dialects } from './dialect.ts';
import { leastMigration, requireMigration } from './least-migration.ts';
import type { Migration } from './migration.ts';
import { first } from './migrations/001-first.ts';
import { clicks } from './migrations/002-clicks.ts';
import { webhooks } from './migrations/003-webhooks.ts';
import { webhookQueue } from './migrations/004-webhook-queue.ts';
import { qrMarker } from './migrations/005-qr-marker.ts';
import { fold } from './migrations/006-fold.ts';
import { sessions } from './migrations/007-sessions.ts';
import { ownDomains } from './migrations/008-own-domains.ts';
import { linkBin } from './migrations/009-link-bin.ts';
import { passwordResets } from './migrations/010-password-resets.ts';
import { linkBinOrder } from './migrations/011-link-bin-order.ts';
import { linkHours } from './migrations/012-link-hours.ts';
import { sessionBrowsers } from './migrations/013-session-browsers.ts';
import { hitPacks } from './migrations/014-hit-packs.ts';
import { changesTogether } from './migrations/015-changes-together.ts';
import { emptyBin } from './migrations/016-empty-bin.ts';
import { webhookOutages } from './migrations/017-webhook-outages.ts';
import { floods } from './migrations/018-floods.ts';
import { claimedOutages } from './migrations/019-claimed-outages.ts';
import { noVisitorOfHits } from './migrations/020-no-visitor-of-hits.ts';
import { failedDeliveries } from './migrations/021-failed-deliveries.ts';
import { saltsOutside } from './migrations/022-salts-outside.ts';
import { clickCorrections } from './migrations/023-click-corrections.ts';
import { deletedOrganizations } from './migrations/024-deleted-organizations.ts';
import { hitsByMonth } from './migrations/025-hits-by-month.ts';
import { clickClaims } from './migrations/026-click-claims.ts';
import { instanceOrganization } from './migrations/027-instance-organization.ts';
import { hitChunks } from './migrations/028-hit-chunks.ts';
import { finishedCorrections } from './migrations/029-finished-corrections.ts';
import { chunkTallies } from './migrations/030-chunk-tallies.ts';
import { certificates } from './migrations/031-certificates.ts';
import { rulesOfCounting } from './migrations/032-rules-of-counting.ts';
import { floodLevels } from './migrations/033-flood-levels.ts';
import { linkLife } from './migrations/034-link-life.ts';
import { finishedJournals } from './migrations/035-finished-journals.ts';
import { linkHistory } from './migrations/036-link-history.ts';
import { chunksByMonth } from './migrations/037-chunks-by-month.ts';
import { linkOnPaper } from './migrations/038-link-on-paper.ts';
import { linkEnds } from './migrations/039-link-ends.ts';
import { idempotencyKeys } from './migrations/040-idempotency-keys.ts';
import { linkForwarding } from './migrations/041-link-forwarding.ts';
import { destinationKeys } from './migrations/042-destination-key.ts';
import { linkRules } from './migrations/043-link-rules.ts';
import { externalIds } from './migrations/044-external-ids.ts';
import { linksByChunk } from './migrations/045-links-by-chunk.ts';
import { forwardingLinks } from './migrations/046-forwarding-links.ts';
import { termsCounted } from './migrations/047-terms-counted.ts';

/** Only ever added to: a migration that has run somewhere is never changed. */
const migrations: readonly Migration[] = [
  first,
  clicks,
  webhooks,
  webhookQueue,
  qrMarker,
  fold,
  sessions,
  ownDomains,
  linkBin,
  passwordResets,
  linkBinOrder,
  linkHours,
  sessionBrowsers,
  hitPacks,
  changesTogether,
  emptyBin,
  webhookOutages,
  floods,
  claimedOutages,
  noVisitorOfHits,
  failedDeliveries,
  saltsOutside,
  clickCorrections,
  deletedOrganizations,
  hitsByMonth,
  clickClaims,
  instanceOrganization,
  hitChunks,
  finishedCorrections,
  chunkTallies,
  certificates,
  rulesOfCounting,
  floodLevels,
  linkLife,
  finishedJournals,
  linkHistory,
  chunksByMonth,
  linkOnPaper,
  linkEnds,
  idempotencyKeys,
  linkForwarding,
  destinationKeys,
  linkRules,
  externalIds,
  linksByChunk,
  forwardingLinks,
  termsCounted,
];

/** The number of the newest migration: that of a store that is up to date. */
export const newestMigration = migrations.length;

/**
 * The newest migration that a program must know to write beside this one. Raised with each migration that earlier programs can't
 * go along with: what drops or renames something, a release after the one that stopped using it. One that only adds leaves it as it is.
 */
export const leastWriter = 37;

export const newerStore =
  'this database was set up by a newer Linnet; start that one, or restore a backup from before it';

/** The statements of a migration, by its number. */
export const statementsOf = (kind: Database['kind'], number: number): readonly string[] =>
  migrations[number - 1]?.(dialects[kind]) ?? [];

export const migrationsTable = (kind: Database['kind']): string =>
  `create table if not exists migrations (number ${dialects[kind].integer} primary key) ${dialects[kind].tableEnd}`;

/** Called before tables that are there already are changed, with the numbers of the last migration that ran and of the newest. */
export type BeforeUpgrade = (database: Database, from: number, to: number) => Promise<void>;

/**
 * Brings the store up to date. Several nodes may start at once: the row of a migration is inserted first, so the
 * second node waits on it and then finds the work done.
 */
export async function migrate(database: Database, beforeUpgrade: BeforeUpgrade | null = null): Promise<void> {
  await createLedger(database);
  const done = await migrationsDone(database);
  if (done > newestMigration && !(await mayWrite(database))) throw new Error(newerStore);
  if (done > 0 && done < newestMigration) {
    await beforeUpgrade?.(database, done, newestMigration);
    // Before anything is dropped, so that nodes which still use it can hear of it. Not in the copy, which they may go back to.
    await requireMigration(database, leastWriter);
  }
  for (let number = done + 1; number <= newestMigration; number++) {
    await database.migrate(async (queries) => {
      const claimed =
        await sql`insert into migrations (number) values (${number}) on conflict do nothing returning number`.execute(
          queries,
        );
      if (claimed.rows.length === 0) return;
      for (const statement of statementsOf(database.kind, number)) await sql.raw(statement).execute(queries);
    });
  }
  await requireMigration(database, leastWriter);
}

/** A newer Linnet has been here, and left the store so that this one can write to it. */
async function mayWrite(database: Database): Promise<boolean> {
  const least = await leastMigration(database.read);
  return least !== null && least <= newestMigration;
}

async function migrationsDone(database: Database): Promise<number> {
  const newest = await database.read
    .selectFrom(sql<{ number: number }>`migrations`.as('done'))
    .select(sql<number | null>`max(number)`.as('number'))
    .executeTakeFirst();
  return Number(newest?.number ?? 0);
}

async function createLedger(database: Database): Promise<void> {
  const statement = migrationsTable(database.kind);
  const create = () => database.write((queries) => sql.raw(statement).execute(queries));
  // PostgreSQL's "if not exists" can still collide with another node that creates the same table right now.
  await create().catch(create);
}
