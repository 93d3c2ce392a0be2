import type { Lookups } from './database.ts';
import { openSqliteLookups } from './drivers/sqlite.ts';
import { findLinkForVisitor, linkFinder } from './links/links.ts';

/** Separate connections for lookups by key, to a store that is migrated. */
export async function openLookups(
  url: string | null,
  dataDir: string,
  onIdleError: (cause: Error) => void,
): Promise<Lookups> {
  if (url === null) {
    const { queries, rowFinder, close } = openSqliteLookups(dataDir);
    return { queries, link: linkFinder(queries, rowFinder), close };
  }
  const { openPostgresLookups } = await import('./drivers/postgres.ts');
  const { queries, close } = openPostgresLookups(url, onIdleError);
  return { queries, link: (domainId, suffix) => findLinkForVisitor(queries, domainId, suffix), close };
}
