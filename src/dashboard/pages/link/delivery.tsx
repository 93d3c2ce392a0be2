import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { useAction } from '../../action.ts';
import type { WebhookDelivery, WebhookDeliveryList } from '../../api-types.ts';
import { call } from '../../client.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { assume } from '../../queries.ts';
import { counted, instant, since } from '../../words.ts';
import { AttemptOutcome, outcomeOf } from './attempt.tsx';

const states = {
  delivered: { word: 'Delivered', chip: 'chip good', icon: 'check' },
  waiting: { word: 'Waiting', chip: 'chip warn', icon: 'clock' },
  failed: { word: 'Failed', chip: 'chip bad', icon: 'close' },
} as const;

const eventNames: Readonly<Record<string, string>> = {
  click: 'Click',
  'zapier.click': 'Click, to Zapier',
  'link.updated': 'Link changed',
  'link.deleted': 'Link deleted',
  'link.expired': 'Link expired',
};

const isSample = (body: string): boolean => /"sample":\s*true/.test(body);

const nameOf = ({ event, body }: WebhookDelivery): string =>
  isSample(body) ? 'Test call' : (eventNames[event] ?? event);

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** One message: how it went, and on demand every attempt and what was sent. */
export function Delivery({ delivery, listKey }: { delivery: WebhookDelivery; listKey: string }) {
  const isOpen = useSignal(false);
  const id = useId();
  const again = useAction(async () => {
    const sent = await call('POST /api/v1/webhook_delivery/{id}/redeliver', { params: { id: delivery.id } });
    assume<WebhookDeliveryList>(listKey, (known) => ({
      ...known,
      webhook_deliveries: known.webhook_deliveries.map((other) => (other.id === sent.id ? sent : other)),
    }));
  });
  const { word, chip, icon } = states[delivery.state];
  const latest = delivery.attempts.at(-1);
  const error = again.error.value;
  return (
    <li class="delivery">
      <div class="line">
        <button
          type="button"
          class="toggle"
          aria-expanded={isOpen.value}
          aria-controls={id}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          <Icon name={isOpen.value ? 'down' : 'right'} size={16} />
          <span class={chip}>
            <Icon name={icon} size={14} />
            {word}
          </span>
          <span class="what">{nameOf(delivery)}</span>
          <span class="soft small outcome">{latest ? outcomeOf(latest) : 'Not tried yet'}</span>
          <span class="soft small when">
            {delivery.attempts.length > 1 && `${counted(delivery.attempts.length, 'attempt')}, `}
            {since(delivery.created_at)}
          </span>
        </button>
        <Button
          isSlim
          icon="refresh"
          aria-label="Redeliver"
          disabled={again.isRunning.value}
          onClick={() => void again.run()}
        >
          <span class="on-wide">Redeliver</span>
        </Button>
      </div>
      {error && (
        <p class="error-text" role="alert">
          {error.message}
        </p>
      )}
      <div id={id} hidden={!isOpen.value} class="more">
        {isOpen.value && <More delivery={delivery} />}
      </div>
    </li>
  );
}

function More({ delivery }: { delivery: WebhookDelivery }) {
  return (
    <>
      <dl>
        <div>
          <dt>Sent to</dt>
          <dd>{delivery.target_url}</dd>
        </div>
        <div>
          <dt>Message</dt>
          <dd>{delivery.message_id}</dd>
        </div>
        {delivery.next_try_at && (
          <div>
            <dt>Next try</dt>
            <dd>
              {instant(delivery.next_try_at)}, {since(delivery.next_try_at)}
            </dd>
          </div>
        )}
      </dl>
      {delivery.attempts.length > 0 && (
        <>
          <h3>Attempts</h3>
          <ol>
            {delivery.attempts.map((attempt) => (
              <li key={attempt.at}>
                <span class="soft small">{instant(attempt.at)}</span>
                <AttemptOutcome attempt={attempt} />
              </li>
            ))}
          </ol>
        </>
      )}
      <h3>What was sent</h3>
      <pre>
        <code>{pretty(delivery.body)}</code>
      </pre>
    </>
  );
}
