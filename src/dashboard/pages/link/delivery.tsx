import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { useAction } from '../../action.ts';
import type { WebhookAttempt, WebhookDelivery, WebhookDeliveryList } from '../../api-types.ts';
import { call } from '../../client.ts';
import { counted, instant, number, since } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { DisclosureButton } from '../../parts/disclosure-button.tsx';
import { ErrorText } from '../../parts/error-box.tsx';
import { Fact } from '../../parts/fact.tsx';
import { StateChip } from '../../parts/state-chip.tsx';
import { updateCached } from '../../queries.ts';

const states = {
  delivered: { word: 'Delivered', tone: 'good', icon: 'check' },
  waiting: { word: 'Waiting', tone: 'warn', icon: 'clock' },
  failed: { word: 'Failed', tone: 'bad', icon: 'close' },
} as const;

const eventNames: Readonly<Record<string, string>> = {
  click: 'Click',
  'zapier.click': 'Click, to Zapier',
  'link.updated': 'Link changed',
  'link.deleted': 'Link deleted',
  'link.expired': 'Link expired',
  'link.destination_failed': 'Destination failed',
  'link.destination_recovered': 'Destination recovered',
  'link.scheduled_change_refused': 'Scheduled change refused',
};

const isSample = (body: string): boolean => /"sample":\s*true/.test(body);

const nameOf = ({ event, body }: WebhookDelivery): string =>
  isSample(body) ? 'Test call' : (eventNames[event] ?? event);

/** One message: its outcome, and on demand its attempts and its body. */
export function Delivery({ delivery, listKey }: { delivery: WebhookDelivery; listKey: string }) {
  const isOpen = useSignal(false);
  const id = useId();
  const redeliver = useAction(async () => {
    const sent = await call('POST /api/v1/webhook_delivery/{id}/redeliver', { params: { id: delivery.id } });
    updateCached<WebhookDeliveryList>(listKey, (known) => ({
      ...known,
      webhook_deliveries: known.webhook_deliveries.map((other) => (other.id === sent.id ? sent : other)),
    }));
  });
  const latest = delivery.attempts.at(-1);
  return (
    <li class="delivery">
      <div class="line beside">
        <DisclosureButton class="toggle" isOpen={isOpen} controls={id}>
          <StateChip {...states[delivery.state]} />
          <span class="what">{nameOf(delivery)}</span>
          <span class="soft small outcome">{latest ? outcomeOf(latest) : 'Not tried yet'}</span>
          <span class="soft small when">
            {delivery.attempts.length > 1 && `${counted(delivery.attempts.length, 'attempt')}, `}
            {since(delivery.created_at)}
          </span>
        </DisclosureButton>
        <Button
          isSlim
          icon="refresh"
          aria-label="Redeliver"
          disabled={redeliver.isRunning.value}
          onClick={() => void redeliver.run()}
        >
          <span class="on-wide">Redeliver</span>
        </Button>
      </div>
      <ErrorText sentence={redeliver.error.value?.message} />
      <div id={id} hidden={!isOpen.value} class="more">
        {isOpen.value && <DeliveryDetails delivery={delivery} />}
      </div>
    </li>
  );
}

function DeliveryDetails({ delivery }: { delivery: WebhookDelivery }) {
  return (
    <>
      <dl class="fact-list small">
        <Fact name="Sent to">{delivery.target_url}</Fact>
        <Fact name="Message">{delivery.message_id}</Fact>
        {delivery.next_try_at && (
          <Fact name="Next try">
            {instant(delivery.next_try_at)}, {since(delivery.next_try_at)}
          </Fact>
        )}
      </dl>
      {delivery.attempts.length > 0 && (
        <>
          <h3>Attempts</h3>
          <ol class="stack tight">
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
        <code>{JSON.stringify(JSON.parse(delivery.body), null, 2)}</code>
      </pre>
    </>
  );
}

const durationText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${number(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;

/** "Answered 200 in 34 ms", or why no answer came. */
const outcomeOf = ({ status, problem, duration }: WebhookAttempt): string =>
  status === null
    ? `${problem ?? 'No response'} (${durationText(duration)})`
    : `Answered ${status} in ${durationText(duration)}`;

/** The outcome of an attempt, and the beginning of the target's answer. */
export function AttemptOutcome({ attempt }: { attempt: WebhookAttempt }) {
  return (
    <div class="attempt">
      <strong>{outcomeOf(attempt)}</strong>
      {attempt.answer && (
        <pre>
          <code>{attempt.answer}</code>
        </pre>
      )}
    </div>
  );
}
