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

/** Finds the names of the users who made changes. */
export async function authorsOf(
  queries: Queries,
  organizationId: number,
  rows: readonly Authored[],
): Promise<(row: Authored) => Author> {
  const idsOf = (name: keyof Authored) => [...new Set(rows.flatMap((row) => row[name] ?? []))];
  const [users, keys] = await Promise.all([
    membersNamed(queries, organizationId, idsOf('user_id')),
    keysNamed(queries, organizationId, idsOf('key_id')),
  ]);
  return ({ user_id, key_id }) => ({
    by: users.find((user) => user.id === user_id) ?? null,
    key: keys.find((key) => key.id === key_id) ?? null,
  });
}
