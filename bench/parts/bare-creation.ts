import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { columnsOfNew } from '../../src/manage/links/link-fields.ts';
import { randomSuffix } from '../../src/rules/suffix.ts';
import { recordChanges } from '../../src/storage/changes.ts';
import { queriesOver } from '../../src/storage/drivers/sqlite-client.ts';
import { SqliteConnection } from '../../src/storage/drivers/sqlite-connection.ts';
import { type CompleteLink, insertLinks } from '../../src/storage/links/insert-links.ts';
import { countLinksIn } from '../../src/storage/links/link-counts.ts';
import { searchText } from '../../src/storage/links/links.ts';
import { defaultDomainId } from '../../src/storage/schema.ts';
import { temporaryFolder } from '../exit-cleanup.ts';
import { register } from '../owner.ts';
import { startLinnet } from '../program.ts';

interface LinkInput {
  readonly destination_url: string;
  readonly name: string;
}

export interface BareStore extends Disposable {
  /** Stores these in one transaction, and waits for the disk. */
  store(inputs: readonly LinkInput[]): Promise<void>;
}

/**
 * The store's share of creating links: Linnet's own insert statements on Linnet's own tables, without lookups, checks, QR codes,
 * responses or other threads.
 */
export async function bareStore(): Promise<BareStore> {
  const folder = temporaryFolder();
  const organizationId = await firstOrganization(folder.path);
  const connection = new SqliteConnection(join(folder.path, 'linnet.sqlite'), 'write');
  const queries = queriesOver(connection);
  return {
    async store(inputs) {
      const now = Date.now();
      const rows = inputs.map((input) => rowOf(input, organizationId, now));
      connection.run('begin immediate', []);
      await insertLinks(queries, rows, 'left out');
      const rowsWithId = rows.map((row, id) => ({ ...row, id }));
      await countLinksIn(queries, rowsWithId, 1);
      await recordChanges(queries, rowsWithId, now);
      connection.run('commit', []);
    },
    [Symbol.dispose]() {
      connection.close();
      folder[Symbol.dispose]();
    },
  };
}

async function firstOrganization(dataDir: string): Promise<number> {
  await using program = await startLinnet(dataDir);
  return (await register(program)).organizationId;
}

function rowOf(input: LinkInput, organization_id: number, now: number): CompleteLink {
  const suffix = randomSuffix(randomBytes);
  return {
    ...columnsOfNew(input, 0, now),
    id: null,
    created_at: now,
    updated_at: now,
    organization_id,
    domain_id: defaultDomainId,
    suffix,
    aliases: null,
    moved: 0,
    qr_png: 0,
    zapier_hook_url: null,
    zapier_hook_id: 0,
    created_by: null,
    created_key: null,
    created_via: null,
    page_title: null,
    page_icon: null,
    page_due_at: null,
    search_text: searchText({ ...input, suffix }),
  };
}
