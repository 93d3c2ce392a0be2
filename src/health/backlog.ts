import { hasTable } from '../backup/read-only-store.ts';
import type { Position } from '../journal/files.ts';
import { unfoldedIn } from '../journal/unfolded.ts';
import { type Finding, notice, ok, problem } from '../rules/finding.ts';
import type { CheckContext } from './check-context.ts';

const largeBacklog = 64e6;
const maxWait = 10 * 60 * 1000;

/** Clicks in this node's journals that are not in the database yet. */
export async function backlogFindings(context: CheckContext): Promise<Finding[]> {
  const { dataDir, now } = context;
  const watermarks = await watermarksIn(context);
  const { bytes, since } = unfoldedIn(dataDir, watermarks ?? new Map());
  if (since === null) return [ok('All clicks are in the database.')];
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  if (watermarks === null)
    return [
      notice(
        `${size} of clicks are in the journal, and how many of them are counted could not be read.`,
        'See what is said of the database. Counted clicks stay in the journal for a while.',
      ),
    ];
  const oldest = Math.min(now, since);
  const found = `${size} of clicks wait in the journal, the oldest since ${Math.round((now - oldest) / 1000)} seconds.`;
  const todo =
    'They follow as soon as the database takes them. Look for "store away" and "fold failed" in the log, and see that a server runs on this folder.';
  if (now - oldest > maxWait) return [problem(found, todo)];
  return [bytes > largeBacklog ? notice(found, todo) : ok(found)];
}

/** How far each journal is in the database; null if that can't be read. */
async function watermarksIn({
  store,
  storeProblem,
}: CheckContext): Promise<ReadonlyMap<string, Position> | null> {
  if (store === null) return storeProblem === null ? new Map() : null;
  try {
    if (!(await hasTable(store, 'journal_watermarks'))) return new Map();
    const rows = await store.query('select node, segment, byte_offset from journal_watermarks');
    return new Map(
      rows.map(({ node, segment, byte_offset }) => [
        String(node),
        { segment: Number(segment), offset: Number(byte_offset) },
      ]),
    );
  } catch {
    return null;
  }
}
