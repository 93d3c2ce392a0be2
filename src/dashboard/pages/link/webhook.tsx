import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { useAction } from '../../action.ts';
import type { WebhookDelivery } from '../../api-types.ts';
import { call } from '../../client.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { ErrorBox, ErrorText } from '../../parts/error-box.tsx';
import { UrlField } from '../../parts/field.tsx';
import { refresh } from '../../queries.ts';
import { Deliveries } from './deliveries.tsx';
import { AttemptOutcome } from './delivery.tsx';
import { type WebhookEvent, webhookFields } from './fields.ts';
import { FieldsForm } from './fields-form.tsx';
import type { LinkForm } from './form.ts';
import { SecretField } from './secret-field.tsx';
import { Zapier } from './zapier.tsx';

/** The webhook of a link, its Zap, and their deliveries. */
export function Webhook({ form }: { form: LinkForm }) {
  return (
    <div class="link-webhook">
      <FieldsForm form={form} class="form">
        <div>
          <h2>Webhook</h2>
          <p class="soft small">
            Linnet posts to your server within two seconds of a click. Bots, previews and prefetches are not
            sent.
          </p>
          {!form.link.statistics && (
            <p class="small">This link has no statistics, so its clicks are not sent. Everything else is.</p>
          )}
        </div>
        <UrlField
          {...form.text('webhook_url')}
          placeholder="https://example.com/hook"
          hint="A public address, reached on port 80 or 443, unless the operator permits others."
        />
        <WebhookKey form={form} />
        <WebhookEvents form={form} />
        <TestCall form={form} />
      </FieldsForm>
      <Zapier link={form.link} />
      <Deliveries link={form.link} />
    </div>
  );
}

const events: readonly { readonly event: WebhookEvent; readonly name: string; readonly about: string }[] = [
  { event: 'click', name: 'Clicks', about: 'A person was redirected.' },
  { event: 'link.updated', name: 'Changes', about: 'The link was changed.' },
  { event: 'link.expired', name: 'Expiry', about: 'The link has ended.' },
  {
    event: 'link.destination_failed',
    name: 'Failing destination',
    about: 'The destination watch found it twice.',
  },
  { event: 'link.destination_recovered', name: 'Recovery', about: 'A failing destination works again.' },
  {
    event: 'link.scheduled_change_refused',
    name: 'Refused change',
    about: 'A scheduled change could not be made.',
  },
  { event: 'link.deleted', name: 'Deletion', about: 'The link was deleted.' },
];

/** The events that the webhook receives. */
function WebhookEvents({ form }: { form: LinkForm }) {
  const id = useId();
  const chosen = form.fields.webhook_events;
  const setOn = (event: WebhookEvent, isOn: boolean) =>
    form.set(
      'webhook_events',
      events.map((known) => known.event).filter((known) => (known === event ? isOn : chosen.includes(known))),
    );
  return (
    <fieldset class="field webhook-events">
      <legend>Events</legend>
      {events.map(({ event, name, about }) => (
        <div class="webhook-event beside" key={event}>
          <input
            type="checkbox"
            id={`${id}-${event}`}
            checked={chosen.includes(event)}
            onChange={(change) => setOn(event, change.currentTarget.checked)}
          />
          <label for={`${id}-${event}`}>
            {name} <span class="soft small">{about}</span>
          </label>
        </div>
      ))}
      {chosen.length === 0 && <p class="hint">Nothing is sent if none is selected.</p>}
      <ErrorText sentence={form.errorOf('webhook_events')} />
    </fieldset>
  );
}

/** Sends a made-up click, and shows the target's answer. */
function TestCall({ form }: { form: LinkForm }) {
  const outcome = useSignal<WebhookDelivery | null>(null);
  const isUnsaved = webhookFields.some((name) => form.changed.includes(name));
  const testing = useAction(async () => {
    outcome.value = null;
    if (isUnsaved && !(await form.save())) return;
    outcome.value = await call('POST /api/v1/link/{id}/webhook_test', { params: { id: form.link.id } });
    refresh(`webhook deliveries ${form.link.id} `);
  });
  const delivery = outcome.value;
  const error = testing.error.value;
  const attempt = delivery?.attempts.at(-1);
  return (
    <div class="field test-call">
      <div class="actions">
        <Button
          icon="live"
          disabled={form.fields.webhook_url === '' || testing.isRunning.value || form.isSaving}
          onClick={() => void testing.run()}
        >
          {isUnsaved ? 'Save and send test call' : 'Send test call'}
        </Button>
        <span class="soft small" role="status">
          {testing.isRunning.value && 'Waiting for the response.'}
        </span>
      </div>
      <p class="hint">An invented click, marked "sample": true, is sent once, immediately.</p>
      <ErrorBox error={error} onRetry={() => void testing.run()} />
      {delivery && attempt && (
        <div class={delivery.state === 'delivered' ? 'callout good' : 'callout bad'} role="status">
          <AttemptOutcome attempt={attempt} />
        </div>
      )}
    </div>
  );
}

const keyLength = 24;

/** A random key in the format of Standard Webhooks. */
const newKey = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(keyLength))))}`;

function WebhookKey({ form }: { form: LinkForm }) {
  const key = form.fields.webhook_auth_key;
  return (
    <div class="field">
      <SecretField
        {...form.text('webhook_auth_key')}
        autocomplete="new-password"
        maxLength={256}
        placeholder="None: posts are not signed"
        hint={
          <span>
            With a key every post is signed as{' '}
            <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
              Standard Webhooks
            </a>{' '}
            say, so that your server can tell it was Linnet.
          </span>
        }
      >
        {key !== '' && <CopyButton text={key} what="webhook key" isBare />}
      </SecretField>
      <div class="actions">
        <Button icon="key" isSlim onClick={() => form.set('webhook_auth_key', newKey())}>
          {key === '' ? 'Generate a key' : 'Generate another key'}
        </Button>
        {key !== '' && (
          <Button isSlim kind="plain" onClick={() => form.set('webhook_auth_key', '')}>
            Remove key
          </Button>
        )}
      </div>
    </div>
  );
}
