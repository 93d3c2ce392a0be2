import { expect, test } from 'bun:test';
import { previousRelease } from '../../test/support/previous-release.ts';
import { lastExclusiveMigration, minWriterMigration, statementsOf, unusedSince } from './migrate.ts';
import { newestMigration } from './newest-migration.ts';

const later = Array.from(
  { length: newestMigration - lastExclusiveMigration },
  (_, index) => lastExclusiveMigration + 1 + index,
);

/** Statements of this change that keep programs of the previous release from writing, or block them. */
function obstaclesIn(statements: readonly string[]): string[] {
  const texts = statements.map((statement) => statement.trim().replace(/\s+/g, ' '));
  const created = new Set(texts.map((text) => /^create table (\w+)/i.exec(text)?.[1]));
  const added = new Set(texts.map((text) => /^alter table \w+ add column (\w+)/i.exec(text)?.[1]));
  const changesTables = texts.some((text) => {
    const [, table] = /^alter table (\w+)/i.exec(text) ?? [];
    return table !== undefined && !created.has(table);
  });
  return texts.filter((text) => {
    if (/^create table \w+/i.test(text)) return false;
    const [, unique, table = '', columns = ''] =
      /^create (unique )?index \w+ on (\w+) \((.*)\)/i.exec(text) ?? [];
    // Rows of other programs may violate a constraint that they don't know.
    if (table !== '')
      return (
        unique !== undefined &&
        !created.has(table) &&
        ![...added].some((name) => name && columns.includes(name))
      );
    const [, altered = '', change = ''] = /^alter table (\w+) (.*)$/i.exec(text) ?? [];
    if (created.has(altered)) return false;
    if (altered !== '')
      return !isLoosening(change) && (!/^add column \w+ [^;]*$/i.test(change) || isRestricting(change));
    const [, written = ''] = /^(?:insert into|update) (\w+)/i.exec(text) ?? [];
    // Every visit would wait for the table while the rows are written.
    if (written !== '') return !created.has(written) && changesTables;
    return true;
  });
}

/** What other programs write is still accepted; rows that they don't expect are written only once they are refused. */
const isLoosening = (change: string): boolean => /^(alter column \w+ drop not null(, |$))+$/i.test(change);

/** A column that programs which don't know it would have to fill, or whose constraint they could violate. */
const isRestricting = (change: string): boolean =>
  /\b(unique|references|check)\b/i.test(change) ||
  (/\bnot null\b/i.test(change) && !/\bdefault\b/i.test(change));

test.each(later)('the previous release can still write after migration %d', (number) => {
  if (unusedSince(number) !== null) return;
  for (const kind of ['sqlite', 'postgres'] as const)
    expect(obstaclesIn(statementsOf(kind, number))).toEqual([]);
});

test('what is dropped was no longer used by the previous release, and releases that use it may no longer write', () => {
  for (const number of later) {
    const since = unusedSince(number);
    if (since === null) continue;
    expect(since).toBeLessThanOrEqual(previousRelease.newestMigration);
    expect(since).toBeGreaterThanOrEqual(lastExclusiveMigration);
    expect(minWriterMigration).toBeGreaterThanOrEqual(since);
  }
  expect(minWriterMigration).toBeLessThanOrEqual(previousRelease.newestMigration);
});

test('migrations that break the previous release are detected', () => {
  const breaking = [
    ['drop table clicks'],
    ['alter table links rename column name to title'],
    ['alter table links rename to all_links'],
    ['alter table links drop column notes'],
    ['alter table links alter column notes set not null'],
    ['alter table links add column size bigint not null'],
    ['alter table links add column owner bigint references users (id)'],
    ['create unique index links_name on links (organization_id, name)'],
    ['drop index links_updated'],
    ['delete from words'],
    ['do $$ begin end $$'],
    ['create table links_too (id bigint)', 'drop table links'],
  ];
  for (const statements of breaking)
    expect([statements, obstaclesIn(statements).length]).toEqual([statements, 1]);
  expect(
    obstaclesIn([
      'alter table links add column size bigint',
      'update links set size = length(destination_url)',
    ]),
  ).toEqual(['update links set size = length(destination_url)']);
});

test('migrations that only add are accepted', () => {
  const statements = [
    'create table sizes (link_id bigint primary key, size bigint not null)',
    'create unique index sizes_size on sizes (size)',
    'insert into sizes (link_id, size) select id, 0 from links',
    'alter table links add column size bigint not null default 0',
    'alter table links add column code text',
    'create index links_size on links (organization_id, size)',
    'create unique index links_code on links (organization_id, code) where code is not null',
  ];
  expect(obstaclesIn(statements)).toEqual([]);
  expect(obstaclesIn(["update links set notes = '' where notes is null"])).toEqual([]);
});
