import { sql } from 'kysely';
import type { Queries } from '../schema.ts';
import { waitingOrganizations } from './webhook-queue.ts';

interface OutboxStatus {
  /** At most `maxCounted`. */
  readonly waiting: number;
  /** Since when the oldest due delivery has been due; null if none waits. */
  readonly oldest: number | null;
}

/** A target that is down for days may have millions: counting stops here. */
const maxCounted = 100_000;

/** The state of the webhooks' outbox. Goes from organization to organization through the index for the oldest of each. */
export async function outboxStatus(queries: Queries): Promise<OutboxStatus> {
  const { rows } = await sql<OutboxStatus>`
    with recursive ${waitingOrganizations}
    select (
      select count(*) from (
        select 1 from webhook_deliveries where next_try_at is not null limit ${sql.lit(maxCounted)}
      ) as counted
    ) as waiting, (
      select min((
        select min(next_try_at) from webhook_deliveries
        where organization_id = organizations.id and next_try_at is not null
      )) from organizations
    ) as oldest`.execute(queries);
  return rows[0] ?? { waiting: 0, oldest: null };
}
