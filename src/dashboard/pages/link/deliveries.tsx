import { useSignal } from '@preact/signals';
import type { Link, WebhookDeliveryList } from '../../api-types.ts';
import { call } from '../../client.ts';
import { storeIn } from '../../handlers.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Pager } from '../../parts/pager.tsx';
import { RedeliverFailed } from '../../parts/redeliver-failed.tsx';
import { Panel } from '../../parts/section.tsx';
import { useQuery } from '../../queries.ts';
import { useIntervalWhileVisible } from '../../visibility.ts';
import { Delivery } from './delivery.tsx';

const perPage = 25;
const interval = 3_000;
const intervalWhileWaiting = 1_500;

/** All deliveries that still exist, refreshed while the page is visible. */
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
  const reload = () => {
    if (!query.isLoading.value) void query.reload();
  };
  useIntervalWhileVisible(reload, isWaiting ? intervalWhileWaiting : interval);
  const failed = query.data.value?.total_failed ?? 0;
  return (
    <Panel
      title="Deliveries"
      about="Newest first, for up to 30 days. This list updates automatically."
      class="deliveries"
      aside={failed > 0 && <RedeliverFailed linkId={link.id} failed={failed} />}
      isFlush
    >
      <Loaded query={query}>
        {({ webhook_deliveries, total_webhook_deliveries: total }) =>
          total === 0 ? (
            <Empty title="Nothing has been sent yet">
              <p>
                {link.webhook_url
                  ? 'Send a test call, or click the link.'
                  : 'Enter a webhook address, save it, and send a test call.'}
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
                <Pager page={page.value} size={perPage} total={total} onPage={storeIn(page)} />
              )}
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}
