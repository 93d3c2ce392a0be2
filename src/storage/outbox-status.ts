import { sql } from 'kysely';
import type { Queries } from './schema.ts';

interface OutboxStatus {
  /** At most `maxCounted`. */
  readonly waiting: number;
  /** Since when the oldest due delivery has been due; null if none waits. */
  readonly oldest: number | null;
}

/** A target that is down for days may have millions: counting stops here. */
const maxCounted = 100_000;

/** The state of the webhooks' outbox. Goes from target to target through the index for the oldest of each. */
export async function outboxStatus(queries: Queries): Promise<OutboxStatus> {
  const { rows } = await sql<{ waiting: number; oldest: number | null }>`
    with recursive waiting(target, oldest) as (
      select * from (
        select target_url, next_try_at from webhook_deliveries
        where next_try_at is not null order by target_url, next_try_at limit 1
      ) as first_target
      union all
      select (
        select min(target_url) from webhook_deliveries
        where next_try_at is not null and target_url > waiting.target
      ), (
        select min(next_try_at) from webhook_deliveries
        where next_try_at is not null and target_url = (
          select min(target_url) from webhook_deliveries
          where next_try_at is not null and target_url > waiting.target
        )
      )
      from waiting where waiting.target is not null
    )
    select (
      select count(*) from (
        select 1 from webhook_deliveries where next_try_at is not null limit ${sql.lit(maxCounted)}
      ) as counted
    ) as waiting, (select min(oldest) from waiting) as oldest`.execute(queries);
  const [row] = rows;
  return {
    waiting: Number(row?.waiting ?? 0),
    oldest: row?.oldest === null || row?.oldest === undefined ? null : Number(row.oldest),
  };
}
