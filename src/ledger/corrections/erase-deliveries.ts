import type { Database } from '../../storage/database.ts';
import { deleteDeliveries, deliveriesAfter } from '../../storage/webhooks/webhook-deliveries.ts';
import type { CorrectionScope } from '../correction-scope.ts';
import type { Step } from './step-result.ts';

const atOnce = 500;

/** Finds webhook deliveries about clicks in a scope, sent or not, after the delivery `cursor`. */
export async function deliveriesToErase(
  database: Database,
  { organizationId, owner, from, to }: CorrectionScope,
  cursor: number,
): Promise<Step> {
  const linkId = owner.kind === 'link' ? owner.id : undefined;
  const some = await deliveriesAfter(database.read, { organizationId, linkId }, cursor, atOnce);
  const inScope = some.filter(({ body }) => {
    const at = clickedAt(body);
    return at !== null && at >= (from ?? Number.NEGATIVE_INFINITY) && at < to;
  });
  const ids = inScope.map(({ id }) => id);
  return async (queries) => {
    if (ids.length > 0) await deleteDeliveries(queries, ids);
    return { cursor: some.length < atOnce ? null : (some.at(-1)?.id ?? null) };
  };
}

/** Null if a message isn't about a click, or about a test click. */
function clickedAt(body: string): number | null {
  const message = JSON.parse(body) as {
    readonly event?: unknown;
    readonly payload?: Readonly<Record<string, unknown>>;
    readonly clicked_at?: unknown;
    readonly sample?: unknown;
  };
  const { clicked_at, sample } = message.payload ?? message;
  if (typeof clicked_at !== 'string' || sample === true) return null;
  const at = Date.parse(clicked_at);
  return Number.isNaN(at) ? null : at;
}
