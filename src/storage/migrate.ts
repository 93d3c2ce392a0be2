import { sql } from 'kysely';
import type { Database, OnLockWait } from './database.ts';
import { dialects } from './dialect.ts';
import { buildIndexes, type IndexBuild, indexBuilds } from './index-builds.ts';
import type { Contraction, Migration } from './migration.ts';
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
import { scheduledChanges } from './migrations/048-scheduled-changes.ts';
import { clickLimit } from './migrations/049-click-limit.ts';
import { wordSweeps } from './migrations/050-word-sweeps.ts';
import { rulesOfHits } from './migrations/051-rules-of-hits.ts';
import { quietLinks } from './migrations/052-quiet-links.ts';
import { utmTemplates } from './migrations/053-utm-templates.ts';
import { notFoundVisits } from './migrations/054-not-found-visits.ts';
import { destinationWatch } from './migrations/055-destination-watch.ts';
import { nodes } from './migrations/056-nodes.ts';
import { linkAliases } from './migrations/057-link-aliases.ts';
import { destinationPages } from './migrations/058-destination-pages.ts';
import { untoldRefusals } from './migrations/059-untold-refusals.ts';
import { placesAndAliasesOfHits } from './migrations/060-places-and-aliases-of-hits.ts';
import { migrationOfNodes } from './migrations/061-migration-of-nodes.ts';
import { visitorRuns } from './migrations/062-visitor-runs.ts';
import { linksOfPacks } from './migrations/063-links-of-packs.ts';
import { sparseHours } from './migrations/064-sparse-hours.ts';
import { linkGroups } from './migrations/065-link-groups.ts';
import { duePages } from './migrations/066-due-pages.ts';
import { webhookQueues } from './migrations/067-webhook-queues.ts';
import { endsOfClaims } from './migrations/068-ends-of-claims.ts';
import { minMigration, requireMigration } from './min-migration.ts';
import { newestFormat } from './newer-formats.ts';
import type { Queries } from './schema.ts';

/** Append only: a migration that has run somewhere is never changed. */
const migrations: readonly (Migration | Contraction)[] = [
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
  scheduledChanges,
  clickLimit,
  wordSweeps,
  rulesOfHits,
  quietLinks,
  utmTemplates,
  notFoundVisits,
  destinationWatch,
  nodes,
  linkAliases,
  destinationPages,
  untoldRefusals,
  placesAndAliasesOfHits,
  migrationOfNodes,
  visitorRuns,
  linksOfPacks,
  sparseHours,
  linkGroups,
  duePages,
  webhookQueues,
  endsOfClaims,
];

/** The number of the newest migration, which an up-to-date store has. */
export const newestMigration = migrations.length;

/** The statements of a migration, by its number. */
export function statementsOf(kind: Database['kind'], number: number): readonly string[] {
  const migration = migrations[number - 1];
  if (migration === undefined) return [];
  return (typeof migration === 'function' ? migration : migration.statements)(dialects[kind]);
}

/** For migrations that drop, rename or restrict something: the newest migration of the release that stopped using it. */
export function unusedSince(number: number): number | null {
  const migration = migrations[number - 1];
  return migration === undefined || typeof migration === 'function' ? null : migration.unusedSince;
}

/** Later migrations can run while programs of the previous release are running. */
export const lastExclusiveMigration = 45;

/** The newest migration that a program must know to write together with this one. */
export const leastWriter = Math.max(37, ...migrations.map((_, index) => unusedSince(index + 1) ?? 0));

export const newerStore =
  'this database was set up by a newer Linnet; start that version, or restore a backup from before it';

export const migrationsTable = (kind: Database['kind']): string =>
  `create table if not exists migrations (number ${dialects[kind].integer} primary key) ${dialects[kind].tableEnd}`;

/** Called before existing tables are changed, with the numbers of the last applied and of the newest migration. */
export type BeforeUpgrade = (database: Database, from: number, to: number) => Promise<void>;

/** What a program does during an upgrade. */
export interface UpgradeHooks {
  readonly before?: BeforeUpgrade | null;
  readonly waits?: OnLockWait;
}

/** Milliseconds after which a running node has noticed that it is too old. */
const noticeTime = 5_000;

/**
 * Migrates the store. Several nodes may start at once: the row of a migration is inserted first, so the second node waits for it
 * and then finds the work done. An empty store gets all migrations in one transaction, others one by one.
 */
export async function migrate(database: Database, { before, waits }: UpgradeHooks = {}): Promise<void> {
  await createMigrationsTable(database);
  const done = await migrationsDone(database);
  if (done > newestMigration && !(await mayWrite(database))) throw new Error(newerStore);
  if (done > 0 && done < newestMigration) {
    await before?.(database, done, newestMigration);
    // Before anything is dropped, so that nodes that still use it notice; after the copy is made, to which they may return.
    const isNewRequirement = await requireMigration(database, leastWriter);
    if (isNewRequirement && database.kind === 'postgres' && contracts(done)) await Bun.sleep(noticeTime);
  }
  const builds = done === 0 || done > newestMigration ? [] : buildsOf(database.kind);
  const build = (isDue: (number: number) => boolean) =>
    buildIndexes(
      database,
      builds.filter(({ number }) => isDue(number)),
      waits,
    );
  await build((number) => number <= done);
  const missing = migrations.map((_, index) => index + 1).slice(done);
  // No program uses an empty store: all at once takes about half the time on PostgreSQL, and a killed start leaves it empty.
  const transactions = done === 0 ? [missing] : missing.map((number) => [number]);
  for (const numbers of transactions) {
    await database.migrate(async (queries) => {
      for (const number of numbers) await applyMigration(queries, database.kind, number, builds);
    }, waits);
    await build((number) => numbers.includes(number));
  }
  const isNew = done === 0 && database.kind === 'postgres';
  await requireMigration(database, isNew ? Math.max(leastWriter, newestFormat) : leastWriter);
}

/** Does nothing if another node has applied it. Without the indexes of `builds`, which are built later. */
async function applyMigration(
  queries: Queries,
  kind: Database['kind'],
  number: number,
  builds: readonly IndexBuild[],
): Promise<void> {
  const claimed =
    await sql`insert into migrations (number) values (${number}) on conflict do nothing returning number`.execute(
      queries,
    );
  if (claimed.rows.length === 0) return;
  const isLater = (statement: string) =>
    builds.some((one) => one.number === number && one.statement === statement);
  for (const statement of statementsOf(kind, number))
    if (!isLater(statement)) await sql.raw(statement).execute(queries);
}

/** Indexes that are built while their tables are in use. */
const buildsOf = (kind: Database['kind']): readonly IndexBuild[] =>
  kind === 'sqlite'
    ? []
    : indexBuilds(
        migrations
          .map((_, index) => ({ number: index + 1, statements: statementsOf(kind, index + 1) }))
          .slice(lastExclusiveMigration),
      );

/** Whether a migration drops something that running programs may be using. */
const contracts = (done: number): boolean =>
  migrations.some((_, index) => index >= done && unusedSince(index + 1) !== null);

/** A newer Linnet has migrated the store, and this one may still write to it. */
async function mayWrite(database: Database): Promise<boolean> {
  const least = await minMigration(database.read);
  return least !== null && least <= newestMigration;
}

async function migrationsDone(database: Database): Promise<number> {
  const newest = await database.read
    .selectFrom(sql<{ number: number }>`migrations`.as('done'))
    .select(sql<number | null>`max(number)`.as('number'))
    .executeTakeFirst();
  return newest?.number ?? 0;
}

async function createMigrationsTable(database: Database): Promise<void> {
  const statement = migrationsTable(database.kind);
  const create = () => database.write((queries) => sql.raw(statement).execute(queries));
  // PostgreSQL's "if not exists" can still collide with another node that creates the same table at the same time.
  await create().catch(create);
}
