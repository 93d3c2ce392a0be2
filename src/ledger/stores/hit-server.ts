import { StoreUnavailable } from '../../rules/errors.ts';

/** The server with the hits is unavailable, or has refused them: the transaction fails, and the connection to PostgreSQL stays open. */
export class WriterAway extends Error {
  override readonly name = 'WriterAway';
}

export async function onHitServer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof StoreUnavailable)) throw cause;
    throw new WriterAway(cause.message, { cause });
  }
}
