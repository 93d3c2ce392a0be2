import { StoreUnavailable, TimeoutExceeded } from '../../rules/errors.ts';
import { NotUnique } from '../database.ts';

/**
 * Classes and codes of SQLSTATE that mean "not now": 08 connection, 53 resources (including a full disk), 57 intervention, and
 * 25006 a server that has become read-only, like the former primary of a failover. So do refusals of a new connection: 28 the
 * user or the password, 3D a database that doesn't exist (it may be renamed for another), and a database that is closed to
 * connections or to this user. No SQLSTATE at all means that the connection itself broke or a deadline passed.
 */
export function isUnavailable(cause: Error): boolean {
  const code = codeOf(cause);
  const isSqlState = /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
  const isRefused = (cause as { routine?: string }).routine === checkOfConnection;
  return !isSqlState || code === readOnly || isRefused || /^(08|28|3D|53|57)/.test(code);
}

const readOnly = '25006';
/** The server's function that checks whether a user may connect to a database. The message is in the server's language. */
const checkOfConnection = 'CheckMyDatabase';
/** The server cancelled it, by its own timeout or on request: it is available, but was too slow. */
const queryCanceled = '57014';
/** A pooler's answer to start-up parameters that it doesn't know. */
const protocolViolation = '08P01';

/** Whether it is a pooler that takes no timeouts as start-up parameters. */
export const refusesParameters = (cause: unknown): boolean =>
  codeOf(cause) === protocolViolation && /startup parameter/.test((cause as Error).message);

/** Whether a named statement was parsed before its table was changed. The message is in the server's language. */
export const hasOldPlan = (cause: unknown): boolean =>
  codeOf(cause) === '0A000' && (cause as { routine?: string }).routine === 'RevalidateCachedQuery';

/**
 * Whether the server's connection doesn't know a named statement, or knows it already: a pooler uses another connection for each
 * transaction.
 */
export const isStatementNameMismatch = (cause: unknown): boolean =>
  codeOf(cause) === '26000' || codeOf(cause) === '42P05';

export const codeOf = (cause: unknown): string => (cause as { code?: string }).code ?? '';

/** The driver's errors, as errors of ours. */
export function faultOf(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof StoreUnavailable) return cause;
  if (codeOf(cause) === queryCanceled) return new TimeoutExceeded(true);
  if (codeOf(cause) === '23505') return new NotUnique(cause.message);
  return isUnavailable(cause) ? new StoreUnavailable(cause.message, { cause }) : cause;
}
