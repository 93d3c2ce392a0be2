/** The events of a link's webhook. Only clicks, unless its owner requests more. */
export const webhookEvents = [
  'click',
  'link.expired',
  'link.updated',
  'link.deleted',
  'link.destination_failed',
  'link.destination_recovered',
  'link.scheduled_change_refused',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
export type LinkEvent = Exclude<WebhookEvent, 'click'>;

/** As they are stored: separated by commas. */
export const writeEvents = (events: readonly WebhookEvent[]): string => [...new Set(events)].join(',');

export const readEvents = (stored: string): WebhookEvent[] => {
  const names = stored.split(',');
  return webhookEvents.filter((event) => names.includes(event));
};
