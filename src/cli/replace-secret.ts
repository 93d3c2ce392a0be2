import { resolve } from 'node:path';
import { markOf } from '../auth/master-key.ts';
import { Secrets } from '../auth/secrets.ts';
import {
  openReadOnlyStore,
  type ReadOnlyStore,
  reportedHosts,
  settingIn,
} from '../backup/read-only-store.ts';
import { lockDataFolder } from '../compose/server-lock.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/options.ts';
import { Refusal } from '../rules/errors.ts';
import { goneAfter } from '../rules/node-status.ts';
import { keyFingerprintSetting } from '../storage/settings.ts';
import { existingKey, replaceKey } from '../store.ts';
import { Log } from '../telemetry/log.ts';
import type { StandaloneCommand } from './command.ts';
import { explainStoreError } from './explain-store-error.ts';
import { requireStore } from './require-store.ts';

export const replaceSecret: StandaloneCommand = {
  name: 'secret',
  usage:
    'secret replace   (after the secret key was lost: binds the database to the current one; webhook keys are deleted)',
  options: {},
  async run({ environment, words: [verb, more] }) {
    if (verb !== 'replace' || more !== undefined) throw new Refusal('FIELD_INVALID', 'Type secret replace.');
    const config = loadConfig(environment);
    await requireStore(config);
    await refuseFittingKey(config);
    const log = new Log('error');
    using _lock = await lockDataFolder(config, log);
    await refuseRunningNodes(config);
    await replaceKey(config, log);
    process.stdout.write(
      'The database now belongs to the secret key of this machine. Set the webhook_auth_key of your links anew.\n',
    );
    return 0;
  },
};

async function refuseFittingKey(config: Config): Promise<void> {
  const key = await existingKey(config);
  if (key === null) return;
  const mark = await readStore(config, (found) => settingIn(found, keyFingerprintSetting));
  if (mark === markOf(new Secrets(key)))
    throw new Refusal('FIELD_INVALID', 'The key fits; nothing was changed.');
}

/** They would go on issuing what nodes with the new key refuse. On SQLite the data folder is locked. */
async function refuseRunningNodes(config: Config): Promise<void> {
  if (config.databaseUrl === null) return;
  const hosts = await readStore(config, (store) => reportedHosts(store, Date.now() - goneAfter));
  if (hosts === null || hosts.length === 0) return;
  throw new Refusal(
    'FIELD_INVALID',
    `A node has reported within the last minute, on ${hosts.join(' and ')}. Stop every node, wait for a minute, and run this again.`,
  );
}

/** Null if there is no store. */
async function readStore<T>(config: Config, read: (store: ReadOnlyStore) => Promise<T>): Promise<T | null> {
  const query = async () => {
    await using store = await openReadOnlyStore(config.databaseUrl, resolve(config.dataDir));
    return store === null ? null : await read(store);
  };
  return explainStoreError(config, query());
}
