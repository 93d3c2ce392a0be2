import type { Context } from './context.ts';

/** What a receiver tells repetitions by. */
export const messageId = ({ randomBytes }: Context): string =>
  `msg_${Buffer.from(randomBytes(16)).toString('base64url')}`;
