import { join, resolve } from 'node:path';
import type { Config } from '../config/options.ts';
import { answerSaltRequests } from '../ledger/visitors/salts/answer-salt-requests.ts';
import { SaltFolder } from '../ledger/visitors/salts/salt-folder.ts';
import { StoreUnavailable } from '../rules/errors.ts';
import type { Store } from '../store.ts';
import { repeatWhileOpen } from './repeat-job.ts';
import type { Start } from './start.ts';

export const saltDirOf = ({ visitorSaltDir, dataDir }: Config): string =>
  resolve(visitorSaltDir ?? join(dataDir, 'visitor-salts'));

/** The same on every node of an instance. */
export const saltKeyOf = ({ secrets }: Store): string => secrets.text('visitor-salts');

/** Nodes that share a database request the day's salt from each other. */
export function answerOtherNodes(start: Start, store: Store): void {
  const { database } = store;
  if (database.kind === 'sqlite') return;
  const folder = new SaltFolder(saltDirOf(start.config));
  repeatWhileOpen(
    start,
    () => answerSaltRequests(database, folder, saltKeyOf(store)),
    'saltInterval',
    // The follower of the change feed already logs that the store is down.
    (cause) =>
      cause instanceof StoreUnavailable ||
      start.log.warn('visitor salt not passed on', { error: String(cause) }),
  );
}
