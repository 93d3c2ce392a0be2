import { unfoldedIn } from '../journal/unfolded.ts';
import { type Finding, notice, ok, problem } from '../rules/finding.ts';
import type { CheckContext } from './check-context.ts';

const largeBacklog = 64e6;
const maxWait = 10 * 60 * 1000;

/** Clicks in this node's journals that are not in the database yet. */
export async function backlogFindings({ dataDir, store, now }: CheckContext): Promise<Finding[]> {
  const watermarks = new Map<string, { segment: number; offset: number }>();
  const rows =
    (await store?.query('select node, segment, byte_offset from journal_watermarks').catch(() => [])) ?? [];
  for (const row of rows)
    watermarks.set(String(row.node), { segment: Number(row.segment), offset: Number(row.byte_offset) });
  const { bytes, since } = unfoldedIn(dataDir, watermarks);
  if (since === null) return [ok('All clicks are in the database.')];
  const oldest = Math.min(now, since);
  const found = `${(bytes / 1e6).toFixed(1)} MB of clicks wait in the journal, the oldest since ${Math.round((now - oldest) / 1000)} seconds.`;
  const todo =
    'They follow as soon as the database takes them. Look for "store away" and "fold failed" in the log, and see that a server runs on this folder.';
  if (now - oldest > maxWait) return [problem(found, todo)];
  return [bytes > largeBacklog ? notice(found, todo) : ok(found)];
}
