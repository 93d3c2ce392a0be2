import { useId } from 'preact/hooks';
import type { WebhookEvent } from './fields.ts';
import type { LinkForm } from './form.ts';

const events: readonly { readonly event: WebhookEvent; readonly name: string; readonly about: string }[] = [
  { event: 'click', name: 'Clicks', about: 'A person was redirected.' },
  { event: 'link.updated', name: 'Changes', about: 'Somebody changed the link.' },
  { event: 'link.expired', name: 'Expiry', about: 'The link has expired.' },
  { event: 'link.deleted', name: 'Deletion', about: 'The link was deleted.' },
];

/** The events that the webhook receives. */
export function WebhookEvents({ form }: { form: LinkForm }) {
  const id = useId();
  const chosen = form.fields.webhook_events;
  const error = form.errorOf('webhook_events');
  const turn = (event: WebhookEvent, isOn: boolean) =>
    form.set(
      'webhook_events',
      events.map((known) => known.event).filter((known) => (known === event ? isOn : chosen.includes(known))),
    );
  return (
    <fieldset class="field webhook-events">
      <legend>Events</legend>
      {events.map(({ event, name, about }) => (
        <div class="webhook-event" key={event}>
          <input
            type="checkbox"
            id={`${id}-${event}`}
            checked={chosen.includes(event)}
            onChange={(change) => turn(event, change.currentTarget.checked)}
          />
          <label for={`${id}-${event}`}>
            {name} <span class="soft small">{about}</span>
          </label>
        </div>
      ))}
      {chosen.length === 0 && <p class="hint">Nothing is sent while none is chosen.</p>}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
