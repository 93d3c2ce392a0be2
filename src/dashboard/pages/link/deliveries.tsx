import { useSignal } from '@preact/signals';
import { useNoticedAction } from '../../action.ts';
import type { Link, WebhookDeliveryList } from '../../api-types.ts';
import { call } from '../../client.ts';
import { storeIn } from '../../handlers.ts';
import { say } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useQuery } from '../../queries.ts';
import { useIntervalWhileVisible } from '../../visibility.ts';
import { number } from '../../words.ts';
import { Delivery } from './delivery.tsx';

const perPage = 25;
const interval = 3_000;
const intervalWhileWaiting = 1_500;

/** More are not counted. */
const maxFailedCounted = 10_000;

const failedInWords = (failed: number): string => {
  if (failed === 1) return 'the failed one';
  return failed < maxFailedCounted
    ? `all ${number(failed)} that failed`
    : `all that failed, ${number(failed)} or more`;
};

/** The deliveries of the last 30 days, kept up to date while the page is visible. */
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
  const again = useNoticedAction(async () => {
    const { left_out } = await call('POST /api/v1/webhook_delivery/redeliver', {
      body: { link_id: link.id },
    });
    if (left_out > 0)
      say('This link has no webhook any more. Set one, and redeliver what failed.', { isError: true });
  }, `webhook deliveries ${link.id}`);
  const failed = query.data.value?.total_failed ?? 0;
  return (
    <section class="panel deliveries" aria-labelledby="deliveries-heading">
      <header>
        <div>
          <h2 id="deliveries-heading">Deliveries</h2>
          <p class="soft small">The last 30 days, newest first. This list keeps itself up to date.</p>
        </div>
        {failed > 0 && (
          <Button icon="refresh" disabled={again.isRunning.value} onClick={() => void again.run()}>
            Redeliver {failedInWords(failed)}
          </Button>
        )}
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
                <Pager page={page.value} size={perPage} total={total} onPage={storeIn(page)} />
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}
