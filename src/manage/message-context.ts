import type { MessageContext } from '../webhooks/outbox.ts';
import type { Context } from './context.ts';

/** The data of a message that is created now. Its receiver recognises repetitions by the message's id. */
export const messageContext = ({ site, randomBytes }: Context, now: number): MessageContext => ({
  site,
  now,
  messageId: `msg_${Buffer.from(randomBytes(16)).toString('base64url')}`,
});
