import type { Problem } from '../rules/errors.ts';
import { keysNamed, membersNamed } from '../storage/links/link-history.ts';
import type { Queries } from '../storage/schema.ts';

export interface Author {
  /** Null for a former member, and for what Linnet did by itself. */
  readonly by: { readonly id: number; readonly name: string | null; readonly email: string } | null;
  /** Null also for a deleted key. */
  readonly key: { readonly id: number; readonly name: string } | null;
}

interface Authored {
  readonly user_id: number | null;
  readonly key_id: number | null;
}

interface StoredChange extends Authored {
  readonly changes: string;
  readonly refusal: string | null;
}

/** These changes with the names of the users who made them, and with what is stored as JSON. */
export async function withAuthors<Changes, Row extends StoredChange>(
  queries: Queries,
  organizationId: number,
  rows: readonly Row[],
) {
  const idsOf = (name: keyof Authored) => [...new Set(rows.flatMap((row) => row[name] ?? []))];
  const [users, keys] = await Promise.all([
    membersNamed(queries, organizationId, idsOf('user_id')),
    keysNamed(queries, organizationId, idsOf('key_id')),
  ]);
  return rows.map((row) => ({
    ...row,
    by: users.find((user) => user.id === row.user_id) ?? null,
    key: keys.find((key) => key.id === row.key_id) ?? null,
    changes: JSON.parse(row.changes) as Changes,
    refusal: row.refusal === null ? null : (JSON.parse(row.refusal) as Problem),
  }));
}
