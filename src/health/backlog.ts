import { hasTable, rowsIn, settingIn } from '../backup/read-only-store.ts';
import type { Position } from '../journal/files.ts';
import { hasClicksOfOther, otherStoreAdvice, otherStoreMessage } from '../journal/store-mark.ts';
import { unfoldedIn } from '../journal/unfolded.ts';
import { minuteLength } from '../rules/durations.ts';
import { type Finding, notice, ok, problem } from '../rules/finding.ts';
import { storeIdSetting } from '../storage/store-id.ts';
import type { CheckContext } from './check-context.ts';

const largeBacklog = 64e6;
const maxWait = 10 * minuteLength;

/** Clicks in this node's journals that are not in the database yet. */
export async function backlogFindings(context: CheckContext): Promise<Finding> {
  const { dataDir, now } = context;
  if (await isOtherStore(context))
    return problem(otherStoreMessage(dataDir), `${otherStoreAdvice} Nothing starts until then.`);
  const watermarks = await watermarksIn(context);
  const { bytes, since } = unfoldedIn(dataDir, watermarks ?? new Map());
  if (since === null) return ok('All clicks are in the database.');
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  if (watermarks === null)
    return notice(
      `${size} of clicks are in the journal, and how many of them are counted could not be read.`,
      'See the line about the database. Counted clicks stay in the journal for a while.',
    );
  const oldest = Math.min(now, since);
  const found = `${size} of clicks wait in the journal, the oldest since ${Math.round((now - oldest) / 1000)} seconds.`;
  const todo =
    'They follow as soon as the database takes them. Look for "store away" and "fold failed" in the log, and see that a server runs on this folder.';
  if (now - oldest > maxWait) return problem(found, todo);
  return bytes > largeBacklog ? notice(found, todo) : ok(found);
}

/** Whether the journals belong to another store: nothing starts then. */
async function isOtherStore({ store, storeProblem, dataDir }: CheckContext): Promise<boolean> {
  if (storeProblem !== null) return false;
  const id = store === null ? null : await settingIn(store, storeIdSetting);
  // A store that has accounts but no id gets that of the journals at the next start, see `storeIdOf`.
  if (store !== null && id === null && ((await rowsIn(store, 'users')) ?? 0) > 0) return false;
  return hasClicksOfOther(dataDir, id);
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
