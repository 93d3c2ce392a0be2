import { feedStatements } from './changes.ts';
import type { Database, Statement } from './database.ts';
import { type CompleteLink, guardedInsertion, type Inserted } from './insert-links.ts';
import { countInserted } from './link-counts.ts';

/**
 * Makes links, counts them and tells every node, in a transaction that nobody waits for before its end. On SQLite only:
 * that nothing else is written meanwhile is why nothing has to be looked at between its statements. In the order of the rows;
 * null for those that got no place. Why, nobody has asked.
 */
export async function insertAtOnce(
  { read }: Pick<Database, 'read'>,
  writeWhole: NonNullable<Database['writeWhole']>,
  rows: readonly CompleteLink[],
  now: number,
): Promise<readonly (Inserted | null)[]> {
  const groups = [...Map.groupBy(rows, (row) => `${row.organization_id} ${row.domain_id}`).values()];
  const insertions = groups.map((group) => guardedInsertion(read, group));
  const statements = insertions.flatMap(({ statement }, index): Statement[] => {
    const [first] = groups[index] ?? [];
    return first ? [statement, countInserted.filled(read, first.organization_id, first.domain_id)] : [];
  });
  const answers = await writeWhole([...statements, ...feedStatements(read, rows, now)]);
  const made = new Map<CompleteLink, Inserted | null>();
  for (const [index, { outcome }] of insertions.entries()) {
    const inserted = outcome(answers[2 * index] as Inserted[]);
    for (const [place, row] of (groups[index] ?? []).entries()) made.set(row, inserted[place] ?? null);
  }
  return rows.map((row) => made.get(row) ?? null);
}
