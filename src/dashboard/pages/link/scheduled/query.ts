import { useEffect } from 'preact/hooks';
import type { Link, ScheduledChanges } from '../../../api-types.ts';
import { call } from '../../../client.ts';
import { type Query, refresh, useQuery } from '../../../queries.ts';

/** A change is made at most this many milliseconds after its instant; see `compose/scheduled-jobs.ts`. */
const maxDelay = 1_000;
/** How often one that is late, as after an outage, is looked for at least. */
const maxPause = 60_000;
/** The maximum delay of `setTimeout`. */
const maxTimer = 2 ** 31 - 1;

/** The scheduled changes of a link. Reloaded once the next one has been made. */
export function useScheduled({ id }: Pick<Link, 'id'>): Query<ScheduledChanges> {
  const query = useQuery<ScheduledChanges>(`link scheduled ${id}`, () =>
    call('GET /api/v1/link/{id}/scheduled', { params: { id } }),
  );
  const next = query.data.value?.scheduled.find(({ status }) => status === 'open')?.at;
  const isLoading = query.isLoading.value;
  useEffect(() => {
    if (next === undefined || isLoading) return;
    const wait = waitFor(Date.parse(next) - Date.now());
    if (wait > maxTimer) return;
    const timer = setTimeout(() => void refresh('links', 'link ', 'tags', 'utm values'), wait);
    return () => clearTimeout(timer);
  }, [next, isLoading]);
  return query;
}

/** Until a change should have been made; the later it is, the longer until it is looked for again. */
const waitFor = (left: number): number =>
  left > 0 ? left + maxDelay : Math.min(Math.max(-left, maxDelay), maxPause);

export const countOpen = ({ data }: Query<ScheduledChanges>): number =>
  data.value?.scheduled.filter(({ status }) => status === 'open').length ?? 0;
