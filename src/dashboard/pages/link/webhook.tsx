import { TextField } from '../../parts/field.tsx';
import { Deliveries } from './deliveries.tsx';
import { labels } from './fields.ts';
import type { LinkForm } from './form.ts';
import { TestCall } from './test-call.tsx';
import { WebhookEvents } from './webhook-events.tsx';
import { WebhookKey } from './webhook-key.tsx';
import { Zapier } from './zapier.tsx';

/** Where a link tells of its clicks, and what came of it. */
export function Webhook({ form }: { form: LinkForm }) {
  return (
    <div class="link-webhook">
      <form
        class="form link-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void form.save();
        }}
      >
        <div>
          <h2>Webhook</h2>
          <p class="soft small">
            Linnet posts to your server within two seconds of a click. Bots, previews and prefetches are not
            sent.
          </p>
        </div>
        <TextField
          label={labels.webhook_url}
          type="url"
          spellcheck={false}
          autocomplete="off"
          placeholder="https://example.com/hook"
          hint="A public address, reached on port 80 or 443, unless the operator permits others."
          value={form.fields.webhook_url}
          error={form.errorOf('webhook_url')}
          onText={(text) => form.set('webhook_url', text)}
        />
        <WebhookKey form={form} />
        <WebhookEvents form={form} />
        <TestCall form={form} />
      </form>
      <Zapier link={form.link} />
      <Deliveries link={form.link} />
    </div>
  );
}
