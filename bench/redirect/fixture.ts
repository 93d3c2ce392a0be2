import { Database } from 'bun:sqlite';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { earlierVersion } from '../earlier-version.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import type { Owner } from '../owner.ts';
import { seededStore as ownSeededStore } from '../seed.ts';
import type { Fixture } from './contenders.ts';
import { type Link, writeNginxConfig, writeNginxMap } from './nginx.ts';
import { toolPath } from './tools.ts';

export interface PreparedFixture extends Fixture, Disposable {
  readonly folder: string;
  readonly links: readonly Link[];
  readonly owner: Owner;
}

/** An earlier version can't open the store of a later one, so it creates it if it is compared. */
const seededStore: typeof ownSeededStore =
  earlierVersion === null
    ? ownSeededStore
    : (await import(join(earlierVersion, 'bench', 'seed.ts'))).seededStore;

/** A store with this many links, and the same links for the other contenders. */
export async function prepareFixture(count: number): Promise<PreparedFixture> {
  const store = await seededStore(count);
  const folder = temporaryFolder();
  const links = linksIn(join(store.dataDir, 'linnet.sqlite'));
  const [first] = links;
  if (first === undefined) throw new Error('the store is empty');
  const map = await writeNginxMap(folder.path, links);
  return {
    folder: folder.path,
    links,
    owner: store.owner,
    destination: { SUFFIX: first.suffix, LOCATION: first.destination },
    nginx: toolPath('nginx'),
    nginxConfig: (port, workers, tls) =>
      writeNginxConfig({ folder: folder.path, port, map, links: links.length, workers, tls }),
    dataDir(name) {
      const copy = join(folder.path, name);
      cpSync(store.dataDir, copy, { recursive: true });
      return copy;
    },
    [Symbol.dispose]() {
      folder[Symbol.dispose]();
      store[Symbol.dispose]();
    },
  };
}

function linksIn(file: string): Link[] {
  const database = new Database(file, { readonly: true });
  const rows = database
    .query<Link, []>('select suffix, destination_url as destination from links order by id')
    .all();
  database.close();
  // nginx's map ignores case, so it can't tell a dozen of a million links apart.
  return [...new Map(rows.map((link) => [link.suffix.toLowerCase(), link])).values()];
}
