import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import type { WebhookDelivery } from '../../api-types.ts';
import { call } from '../../client.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { refresh } from '../../queries.ts';
import { AttemptOutcome } from './delivery.tsx';
import { webhookFields } from './fields.ts';
import type { LinkForm } from './form.ts';

/** Sends a made-up click, and shows the target's answer. */
export function TestCall({ form }: { form: LinkForm }) {
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
      {error && <ErrorBox error={error} onRetry={() => void testing.run()} />}
      {delivery && attempt && (
        <div class={delivery.state === 'delivered' ? 'callout good' : 'callout bad'} role="status">
          <AttemptOutcome attempt={attempt} />
        </div>
      )}
    </div>
  );
}
