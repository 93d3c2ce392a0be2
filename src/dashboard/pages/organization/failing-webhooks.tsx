import { useNoticedAction } from '../../action.ts';
import { call } from '../../client.ts';
import { say } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { Section } from '../../parts/section.tsx';
import { useQuery } from '../../queries.ts';
import { counted, since } from '../../words.ts';

/** Only there while a target fails. */
export function FailingWebhooks() {
  const query = useQuery('webhook outages', () => call('GET /api/v1/webhook_outages'));
  const again = useNoticedAction(async () => {
    const { redelivered, continue_from } = await call('POST /api/v1/webhook_delivery/redeliver', {
      body: {},
    });
    const rest = continue_from === null ? '' : ' There are more: press it again.';
    say(
      redelivered === 0
        ? 'Nothing has failed for good so far: each message is tried again for three days.'
        : `${counted(redelivered, 'message is', 'messages are')} on the way again.${rest}`,
    );
  }, 'webhook outages');
  const outages = query.data.value?.webhook_outages ?? [];
  if (outages.length === 0) return null;
  return (
    <Section title="Webhooks that fail" isFlush>
      <ul class="rows">
        {outages.map(({ target_url, since: began, last_failed_at, told_at }) => (
          <li key={target_url}>
            <div class="who">
              <p class="cut">{target_url}</p>
              <p class="soft small">
                First failed {since(began)}, last tried {since(last_failed_at)}
                {told_at && ' · administrators were told by mail'}
              </p>
            </div>
          </li>
        ))}
      </ul>
      <div class="pad">
        <Button icon="refresh" disabled={again.isRunning.value} onClick={() => void again.run()}>
          Redeliver all that failed
        </Button>
      </div>
    </Section>
  );
}
