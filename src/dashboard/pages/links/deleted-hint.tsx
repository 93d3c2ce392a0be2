import { call } from '../../client.ts';
import { useQuery } from '../../queries.ts';
import { counted } from '../../words.ts';

/** Where every link was deleted: the way back to them. */
export function DeletedHint() {
  const query = useQuery('links deleted, how many', () =>
    call('GET /api/v1/link/deleted', { query: { limit: 1 } }),
  );
  const total = query.data.value?.total_links ?? 0;
  if (total === 0) return null;
  return (
    <p>
      <a href="/app/links/deleted">{counted(total, 'deleted link')}</a> can still be brought back.
    </p>
  );
}
