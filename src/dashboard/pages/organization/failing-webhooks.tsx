import { call } from '../../client.ts';
import { since } from '../../format.ts';
import { RedeliverFailed } from '../../parts/redeliver-failed.tsx';
import { Section } from '../../parts/section.tsx';
import { useQuery } from '../../queries.ts';

/** Only shown while a target fails, and afterwards as long as failed messages can be sent again. */
export function FailingWebhooks() {
  const query = useQuery('webhook outages', () => call('GET /api/v1/webhook_outages'));
  const { webhook_outages: outages = [], total_failed: failed = 0 } = query.data.value ?? {};
  if (outages.length === 0 && failed === 0) return null;
  const isOver = outages.length === 0;
  return (
    <Section
      title={isOver ? 'Failed webhooks' : 'Failing webhooks'}
      about={isOver && 'Messages that were given up after all retries. No target is failing now.'}
      isFlush
    >
      {!isOver && (
        <ul class="rows">
          {outages.map(({ target_url, since: began, last_failed_at, told_at }) => (
            <li key={target_url}>
              <div class="who">
                <p class="cut">{target_url}</p>
                <p class="soft small">
                  First failed {since(began)}, last tried {since(last_failed_at)}
                  {told_at && ' · administrators were notified by mail'}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      <div class="pad">
        {failed > 0 ? (
          <RedeliverFailed failed={failed} />
        ) : (
          <p class="soft small">
            Nothing has failed permanently so far: each message is retried for three days.
          </p>
        )}
      </div>
    </Section>
  );
}
