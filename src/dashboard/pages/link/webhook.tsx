import { TextField } from '../../parts/field.tsx';
import { Deliveries } from './deliveries.tsx';
import type { LinkForm } from './form.ts';
import { TestCall } from './test-call.tsx';
import { WebhookEvents } from './webhook-events.tsx';
import { WebhookKey } from './webhook-key.tsx';
import { Zapier } from './zapier.tsx';

/** The webhook of a link, its Zap, and their deliveries. */
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
          {...form.text('webhook_url')}
          type="url"
          spellcheck={false}
          autocomplete="off"
          placeholder="https://example.com/hook"
          hint="A public address, reached on port 80 or 443, unless the operator permits others."
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
