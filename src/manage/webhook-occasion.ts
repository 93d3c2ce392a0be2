import type { Occasion } from '../webhooks/outbox.ts';
import type { Context } from './context.ts';

/** What a message of this instant needs. A receiver recognises repetitions by its id. */
export const occasionOf = ({ site, randomBytes }: Context, now: number): Occasion => ({
  site,
  now,
  messageId: `msg_${Buffer.from(randomBytes(16)).toString('base64url')}`,
});
