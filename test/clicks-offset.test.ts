import { expect, test } from 'bun:test';
import type { KyselyPlugin } from 'kysely';
import { ofOrganization } from '../src/api/clicks.ts';
import { Secrets } from '../src/auth/secrets.ts';
import { classCodes, reasonCodes } from '../src/rules/click-fields.ts';
import { dayLength } from '../src/rules/durations.ts';
import type { Database } from '../src/storage/database.ts';
import { storeKinds } from './support/app.ts';
import { type NewHit, zeroColumns } from './support/batch-folder.ts';
import { rebuildFrom } from './support/hits.ts';
import { testLedger } from './support/ledger-of.ts';

const begin = Date.UTC(2026, 2, 28, 9);
const hits = 3_000;
const offset = 2_500;
const limit = 10;
/** More than a page may take. */
const delay = 31;

interface Page {
  readonly clicks: readonly { readonly clicked_at: string }[];
  readonly partial: boolean;
  readonly next?: string;
}

interface ListEndpoint {
  handle(call: object, context: object): Promise<Page>;
}

const hitAt = (index: number): NewHit => ({
  ...zeroColumns,
  ...{ link_id: 1, organization_id: 1, at: begin + index, target: 1 },
  ...{ class: classCodes.human, reason: reasonCodes.browser },
});

function withDelay(database: Database): Database {
  const delaying: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await Bun.sleep(delay);
      return result;
    },
  };
  return { ...database, read: database.read.withPlugin(delaying) };
}

test.each(storeKinds.flatMap((kind) => (['packs', 'chunks'] as const).map((form) => [kind, form] as const)))(
  'a page whose time runs out before its offset is skipped continues at that offset: %s, %s',
  async (kind, form) => {
    await using store = await testLedger(kind, new Map([[1, [1]]]));
    for (let from = 0; from < hits; from += 1_000)
      await store.append(
        Array.from({ length: 1_000 }, (_, index) => hitAt(from + index)),
        'packs',
      );
    await rebuildFrom(store.database);
    if (form === 'chunks') await store.merge(begin + dayLength);
    const context = {
      database: withDelay(store.database),
      secrets: new Secrets('a master key for the tests, long enough'),
      now: () => begin + dayLength,
      config: { clickRetentionDays: 180 },
    };
    const { handle } = ofOrganization as unknown as ListEndpoint;
    const list = (query: object) =>
      handle({ caller: { organizationId: 1 }, query: { class: 'click', limit, ...query } }, context);
    let page = await list({ offset });
    expect([page.partial, page.clicks]).toEqual([true, []]);
    while (page.clicks.length === 0 && page.next !== undefined)
      page = await list({ offset: 0, cursor: page.next });
    const newest = begin + hits - 1;
    expect(page.clicks.map(({ clicked_at }) => Date.parse(clicked_at))).toEqual(
      Array.from({ length: limit }, (_, index) => newest - offset - index),
    );
  },
);
