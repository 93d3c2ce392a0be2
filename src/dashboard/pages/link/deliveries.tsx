import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Link, WebhookDeliveryList } from '../../api-types.ts';
import { call } from '../../client.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useQuery } from '../../queries.ts';
import { Delivery } from './delivery.tsx';

const perPage = 25;
const whileWaiting = 1_500;
const otherwise = 3_000;

/** What was sent in the last 30 days, looked at anew by itself for as long as it is seen. */
export function Deliveries({ link }: { link: Link }) {
  const page = useSignal(1);
  const at = (page.value - 1) * perPage;
  const query = useQuery<WebhookDeliveryList>(`webhook deliveries ${link.id} ${at}`, () =>
    call('GET /api/v1/link/{id}/webhook_deliveries', {
      params: { id: link.id },
      query: { limit: perPage, offset: at },
    }),
  );
  const isWaiting = query.data.value?.webhook_deliveries.some(({ state }) => state === 'waiting') ?? false;
  useEffect(() => {
    const timer = setInterval(
      () => {
        if (document.visibilityState === 'visible' && !query.isAsking.value) void query.reload();
      },
      isWaiting ? whileWaiting : otherwise,
    );
    return () => clearInterval(timer);
  }, [query, isWaiting]);
  return (
    <section class="panel deliveries" aria-labelledby="deliveries-heading">
      <header>
        <div>
          <h2 id="deliveries-heading">Deliveries</h2>
          <p class="soft small">The last 30 days, newest first. This list keeps itself up to date.</p>
        </div>
      </header>
      <Loaded query={query}>
        {({ webhook_deliveries, total_webhook_deliveries: total }) =>
          total === 0 ? (
            <Empty title="Nothing was sent yet">
              <p>
                {link.webhook_url
                  ? 'Send a test call, or click the link.'
                  : 'Give a webhook address, save it, and send a test call.'}
              </p>
            </Empty>
          ) : (
            <>
              <ul>
                {webhook_deliveries.map((delivery) => (
                  <Delivery
                    key={delivery.id}
                    delivery={delivery}
                    listKey={`webhook deliveries ${link.id} ${at}`}
                  />
                ))}
              </ul>
              {total > perPage && (
                <Pager
                  page={page.value}
                  size={perPage}
                  total={total}
                  onPage={(to) => {
                    page.value = to;
                  }}
                />
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}
