import type { Database } from '../storage/database.ts';
import { statementsOf } from '../storage/migrate.ts';
import { newestMigration } from '../storage/newest-migration.ts';

/** What a migration of an upgrade is going to do with a store. */
export interface UpgradeStep {
  readonly number: number;
  /** The beginnings of its statements. */
  readonly changes: readonly string[];
  /** Rows that are read or rewritten. */
  readonly rows: number;
}

/** Statements that only change the catalogue, however many rows a table has. */
const quick = [
  /^create table\b(?!.*\bselect\b)/is,
  /^drop (?:table|index)\b/i,
  /^alter table \w+ (?:add column|rename|set|alter column)\b/i,
  /^alter index\b/i,
];
/** On PostgreSQL dropping a column is one of them. */
const quickOnPostgres = /^alter table \w+ drop column\b/i;

/** Rows per second on a slow disk: a fast one handles twenty times as many. */
const rowsPerSecond = 100_000;

export async function planUpgrade(
  kind: Database['kind'],
  from: number,
  rowsOf: (table: string) => Promise<number | null>,
): Promise<readonly UpgradeStep[]> {
  const counted = new Map<string, number | null>();
  const count = async (table: string) => {
    if (!counted.has(table)) counted.set(table, await rowsOf(table));
    return counted.get(table) ?? 0;
  };
  const steps: UpgradeStep[] = [];
  for (let number = from + 1; number <= newestMigration; number++) {
    const statements = statementsOf(kind, number);
    let rows = 0;
    for (const statement of statements)
      for (const table of tablesRead(kind, statement)) rows += await count(table);
    steps.push({ number, changes: statements.map(beginning), rows });
  }
  return steps;
}

/** Words of a statement that may be tables; those that aren't have no rows. */
function tablesRead(kind: Database['kind'], statement: string): readonly string[] {
  const text = statement.trim();
  if (quick.some((form) => form.test(text)) || (kind === 'postgres' && quickOnPostgres.test(text))) return [];
  const [, table] = /^create (?:unique )?index \w+ on (\w+)/i.exec(text) ?? [];
  if (table !== undefined) return [table];
  return [...new Set(text.toLowerCase().match(/\b[a-z]\w+\b/g) ?? [])];
}

const beginning = (statement: string): string => {
  const line = statement.trim().replace(/\s+/g, ' ');
  return line.length <= 90 ? line : `${line.slice(0, 89)}…`;
};

export function durationOf(steps: readonly UpgradeStep[]): string {
  const seconds = steps.reduce((sum, { rows }) => sum + rows, 0) / rowsPerSecond;
  if (seconds < 1) return 'about a second';
  if (seconds < 60) return 'seconds, at most a minute';
  return `minutes, at most ${Math.ceil(seconds / 60)} or so`;
}
