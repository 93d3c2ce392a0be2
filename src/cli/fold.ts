import { accessSync, constants } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { siteOf } from '../compose/base-url.ts';
import { foldSettingsOf } from '../compose/click-recorder.ts';
import { foldPartsOf } from '../compose/fold-parts.ts';
import { saltKeyOf } from '../compose/salts.ts';
import { loadConfig } from '../config/load.ts';
import { filesIn, folderOf, journalsIn } from '../journal/files.ts';
import { hasClicksOfOther, otherStoreMessage, storeMarkIn } from '../journal/store-mark.ts';
import { foldFolder } from '../ledger/fold/fold-folder.ts';
import { Refusal } from '../rules/errors.ts';
import { goneAfter } from '../rules/node-status.ts';
import type { Database } from '../storage/database.ts';
import { forgetEarlier } from '../storage/nodes.ts';
import { storeIdOf } from '../storage/store-id.ts';
import { openStore } from '../store.ts';
import { Log } from '../telemetry/log.ts';
import { onlyArgument, type StandaloneCommand } from './command.ts';
import { requireStore } from './require-store.ts';

export const fold: StandaloneCommand = {
  name: 'fold',
  usage:
    'fold DIR   (counts the clicks in the data folder of a node that is gone, or in a copy of it; each once, however often it is run)',
  options: {},
  async run(call) {
    const folder = readableFolder(resolve(onlyArgument(call, 'The data folder of a node')));
    const config = loadConfig(call.environment);
    await requireStore(config);
    const log = new Log('warn');
    await using opened = new AsyncDisposableStack();
    const store = opened.use(await openStore(config, log));
    await refuseClicksOfOther(store.database, folder);
    const site = await siteOf(config, store.database, config.port);
    const settings = foldSettingsOf(site, saltKeyOf(store), config, 'server');
    const tell = (event: string, facts: Record<string, unknown>) => log.warn(event, facts);
    const parts = await foldPartsOf(settings, ({ event, facts }) => tell(event, facts));
    opened.defer(() => parts.store.close());
    const { journals, hits, inUse } = await foldFolder(
      { ...parts, settings, now: Date.now, log: tell },
      folder,
    );
    process.stdout.write(
      `Folded ${formatCount(journals, 'journal')}: ${formatCount(hits, 'hit')} new to the database.\n`,
    );
    if (inUse === 0) await forgetNodes(store.database, folder);
    process.stdout.write(
      inUse === 0
        ? `${folder} isn't needed for its clicks any more.\n`
        : `${formatCount(inUse, 'journal')} left alone: a process that runs is writing there.\n`,
    );
    return 0;
  },
};

async function refuseClicksOfOther(database: Database, folder: string): Promise<void> {
  const id = await storeIdOf(database, storeMarkIn(folder));
  if (!hasClicksOfOther(folder, id)) return;
  throw new Refusal(
    'FIELD_INVALID',
    `${otherStoreMessage(folder)} Set DATABASE_URL to theirs. Nothing was counted.`,
  );
}

/** All clicks that these nodes have left are counted, so they needn't be listed any more. */
async function forgetNodes(database: Database, folder: string): Promise<void> {
  const before = Date.now() - goneAfter;
  const nodes = new Set(journalsIn(folder).map(({ node }) => node));
  await database.write(async (queries) => {
    for (const node of nodes) await forgetEarlier(queries, node, before);
  });
}

/** Its files belong to the user of another machine's service. */
function readableFolder(given: string): string {
  try {
    const folder = dataFolder(given);
    for (const path of journalsIn(folder).map((name) => folderOf(folder, name)))
      for (const file of ['', ...filesIn(path)]) accessSync(join(path, file), constants.R_OK);
    return folder;
  } catch (cause) {
    if (!/^(EACCES|EPERM)$/.test((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    throw new Refusal(
      'FIELD_INVALID',
      `This user can not read the journals in ${given} (${(cause as Error).message}). Copy that folder, and make the user of this command the owner of the copy (chown -R).`,
    );
  }
}

/** The journal folder itself may be given, too. */
function dataFolder(given: string): string {
  const folder = basename(given) === 'journal' ? dirname(given) : given;
  // A node that was stopped cleanly leaves no journals, but the mark.
  if (journalsIn(folder).length > 0 || storeMarkIn(folder) !== null) return folder;
  throw new Refusal(
    'FIELD_INVALID',
    `There is no journal in ${given}. Give the data folder of a node: one that has a folder "journal".`,
  );
}

const formatCount = (count: number, what: string): string =>
  `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;
