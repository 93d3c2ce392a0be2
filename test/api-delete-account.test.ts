import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type KyselyPlugin, sql } from 'kysely';
import { DeletedOrganizations } from '../src/manage/accounts/clear-organizations.ts';
import { setupToken } from '../src/manage/accounts/register-user.ts';
import { hourLength } from '../src/rules/durations.ts';
import { startApp, storeKinds, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { browserHeadersOf, invite, member } from './support/members.ts';
import { proveEmails } from './support/proven-emails.ts';

let app: TestApp;

async function stop(): Promise<void> {
  expect(app.faults).toEqual([]);
  await app.stop();
}

const remove = (key: string, body: object) => app.call('DELETE', '/api/v1/user', { key, body });
const link = (key: string, fields?: object) => app.createLink({ key }, fields);
const confirm = 'delete_organization';

/** Every table with a column for the organization. */
const tablesOfOrganizations = async (): Promise<string[]> => {
  const { read, kind } = app.app.context.database;
  const named =
    kind === 'sqlite'
      ? sql<{
          name: string;
        }>`select tables.name from sqlite_master as tables, pragma_table_info(tables.name) as columns
          where tables.type = 'table' and columns.name = 'organization_id' order by tables.name`
      : sql<{ name: string }>`select table_name as name from information_schema.columns
          where table_schema = 'public' and column_name = 'organization_id' order by table_name`;
  return (await named.execute(read)).rows.map(({ name }) => name);
};

/**
 * Tables that `storage/accounts/deleted-organizations.ts` and `ledger/retention/delete-hits.ts` empty, or whose rows are deleted by
 * other means.
 */
const knownTables =
  /^(api_keys|click_corrections|domains|hit_chunks|hit_packs|hits|idempotency_keys|invitations|link_aliases|link_bin|link_block_marks|link_blocks|link_counts|link_history|links|organization_rollups|scheduled_changes|tags|users|utm_templates|watched_links|webhook_deliveries|webhook_outages)$|^(hits|hit_packs|hit_chunks)_/;

/** The number of an organization's rows, by table. */
async function rowsOf(organizationId: number): Promise<Record<string, number>> {
  const { read } = app.app.context.database;
  const counts: Record<string, number> = {};
  for (const name of await tablesOfOrganizations()) {
    const counted = sql<{ count: number }>`select count(*) as count from ${sql.table(name)}
      where organization_id = ${organizationId}`;
    const count = Number((await counted.execute(read)).rows[0]?.count);
    if (count > 0) counts[name] = count;
  }
  return counts;
}

describe.each(storeKinds)('an account on %s', (store) => {
  beforeAll(async () => {
    app = await startApp({ store, overrides: { clearInterval: 50, domainInterval: 50 } });
  });
  afterAll(stop);

  test('is deleted by its password, and all of its credentials are invalid', async () => {
    const owner = await app.createAccount();
    const guest = await member(app, owner);
    const made = await link(guest.key);
    const withIdempotencyKey = { headers: { 'idempotency-key': 'kept' } };
    await app.call('POST', '/api/v1/api_key', {
      key: guest.key,
      body: { name: 'second' },
      ...withIdempotencyKey,
    });
    expect((await rowsOf(owner.organizationId)).idempotency_keys).toBe(1);
    const pair = await app.call('POST', '/api/v1/auth/create_tokens', {
      body: { email: guest.email, password: guest.password },
    });
    const wrong = await remove(guest.key, { password: 'not this one' });
    expect([wrong.status, wrong.json.error_code, wrong.json.field_key]).toEqual([
      400,
      'PASSWORD_WRONG',
      'password',
    ]);
    expect((await remove(guest.key, {})).json.field_key).toBe('password');
    expect((await remove(guest.key, { password: guest.password, confirm: true })).json.field_key).toBe(
      'confirm',
    );
    expect((await remove(guest.key, { password: guest.password })).status).toBe(204);
    expect((await app.call('GET', '/api/v1/user', { key: guest.key })).status).toBe(401);
    const headers = { authorization: `Bearer ${pair.json.access_token}` };
    expect((await app.call('GET', '/api/v1/user', { headers })).status).toBe(401);
    const body = { email: guest.email, password: guest.password };
    expect((await app.call('POST', '/api/v1/session', { body })).status).toBe(401);
    expect((await app.call('GET', '/api/v1/member', { key: owner.key })).json).toHaveLength(1);
    expect(await rowsOf(owner.organizationId)).not.toHaveProperty('idempotency_keys');
    // What a member made for the organization stays with the organization.
    expect((await app.call('GET', `/api/v1/link/${made.id}`, { key: owner.key })).status).toBe(200);
    expect((await app.visit(`/${made.suffix}`)).status).toBe(302);
    // The address is free again.
    expect((await app.createAccount(guest.email)).userId).not.toBe(guest.userId);
  });

  test('leaves its address in no name of an organization that it had left before', async () => {
    const [owner, other] = [await app.createAccount(), await app.createAccount()];
    const successor = await member(app, owner, 'administrator');
    const nameOf = async (key: string) => (await app.call('GET', '/api/v1/organization', { key })).json.name;
    expect(await nameOf(successor.key)).toBe(owner.email);
    const role = { role: 'editor' };
    await app.call('PATCH', `/api/v1/member/${owner.userId}`, { key: successor.key, body: role });
    const { token } = (await invite(app, other.key, owner.email)).json;
    const headers = await browserHeadersOf(app, owner);
    await app.call('POST', '/api/v1/invitation/accept', { headers, body: { token } });
    await proveEmails(app);
    const body = { password: owner.password };
    expect((await app.call('DELETE', '/api/v1/user', { headers, body })).status).toBe(204);
    expect(await nameOf(successor.key)).toBe(`Organization ${owner.organizationId}`);
    expect(await nameOf(other.key)).toBe(other.email);
  });

  test('does not rename another person’s organization whose name merely looks like the deleted address', async () => {
    const owner = await app.createAccount();
    const name = `sales-${store}@example.com`;
    await app.call('PATCH', '/api/v1/organization', { key: owner.key, body: { name } });
    const claimed = await app.createAccount(name);
    expect((await remove(claimed.key, { password: claimed.password, confirm })).status).toBe(204);
    expect((await app.call('GET', '/api/v1/organization', { key: owner.key })).json.name).toBe(name);
  });

  test('of the only administrator stays while there are other members', async () => {
    const owner = await app.createAccount();
    const guest = await member(app, owner);
    const refused = await remove(owner.key, { password: owner.password, confirm });
    expect([refused.status, refused.json.error_code]).toEqual([409, 'LAST_ADMINISTRATOR']);
    expect(refused.json.error_string).toContain('1 other member');
    const role = { role: 'administrator' };
    await app.call('PATCH', `/api/v1/member/${guest.userId}`, { key: owner.key, body: role });
    // If both leave at once, one stays.
    const both = [owner, guest].map(({ key, password }) => remove(key, { password }));
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([204, 409]);
  });

  test('of the only member is deleted with the organization, after confirmation', async () => {
    const other = await app.createAccount();
    const owner = await app.createAccount();
    const { key, organizationId, password } = owner;
    const theirs = await link(other.key);
    const withIdempotencyKey = { headers: { 'idempotency-key': 'kept' } };
    const tag = await app.call('POST', '/api/v1/tag', { key, body: { name: 'mine' }, ...withIdempotencyKey });
    expect((await rowsOf(organizationId)).idempotency_keys).toBe(1);
    const made = await Promise.all(Array.from({ length: 4 }, () => link(key, { tags: [tag.json.id] })));
    const withWebhook = await link(key, { webhook_url: `${app.url}/healthz`, aliases: ['of-the-deleted'] });
    await app.call('POST', '/api/v1/domain', { key, body: { domain: 'go.example.org' } });
    await invite(app, key, 'guest@example.com');
    await app.call('DELETE', `/api/v1/link/${made[0]?.id}`, { key });
    for (const { suffix } of [...made.slice(1), withWebhook, theirs]) await app.visit(`/${suffix}`);
    await app.app.clicks.settled();
    await app.call('DELETE', `/api/v1/link/${made[1]?.id}/clicks`, { key });
    const refused = await remove(key, { password });
    expect([refused.status, refused.json.error_code, refused.json.field_key]).toEqual([
      409,
      'ORGANIZATION_IN_USE',
      'confirm',
    ]);
    expect(refused.json.error_string).toContain('4 links, 1 domain and 1 tag');
    expect((await app.visit(`/${withWebhook.suffix}`)).status).toBe(302);
    await app.app.clicks.settled();

    expect((await remove(key, { password, confirm })).status).toBe(204);
    const kept = { link_aliases: 1, link_bin: made.length + 1 };
    await eventually(
      async () => Bun.deepEquals(await rowsOf(organizationId), kept),
      "the organization's rows to be deleted, except those that reserve its addresses",
    );
    const { read } = app.app.context.database;
    const links = [...made, withWebhook].map(({ id }) => id);
    for (const table of ['link_hours', 'link_clicks'] as const)
      await eventually(
        async () =>
          (await read.selectFrom(table).select('link_id').where('link_id', 'in', links).execute()).length ===
          0,
        `the rows of ${table} to be deleted`,
      );
    const ownBin = read.selectFrom('link_bin').where('organization_id', '=', organizationId);
    const binRows = await ownBin.select(['destination_url', 'name']).execute();
    expect(binRows.every(({ destination_url, name }) => destination_url === '' && name === null)).toBe(true);
    for (const { suffix } of [...made, withWebhook]) expect((await app.visit(`/${suffix}`)).status).toBe(404);
    const taken = await app.call('POST', '/api/v1/link', {
      key: other.key,
      body: { destination_url: 'https://example.com/', suffix: withWebhook.suffix },
    });
    expect(taken.json.error_code).toBe('SUFFIX_TAKEN');
    // Nothing of other organizations is deleted.
    expect((await app.visit(`/${theirs.suffix}`)).status).toBe(302);
    expect(
      (await app.call('GET', `/api/v1/link/${theirs.id}`, { key: other.key })).json.clicks,
    ).toBeGreaterThan(0);
  });

  test('of the only member of the organization that runs the service stays while there are others', async () => {
    const service = await startApp({ store });
    const owner = await service.createAccount();
    const other = await service.createAccount();
    const removeFrom = ({ key, password }: typeof owner, body = {}) =>
      service.call('DELETE', '/api/v1/user', { key, body: { password, ...body } });
    for (const body of [{}, { confirm }]) {
      const { status, json } = await removeFrom(owner, body);
      expect([status, json.error_code, json.field_key]).toEqual([409, 'ORGANIZATION_IN_USE', undefined]);
      expect(json.error_string).toBe(
        `"${owner.email}" runs this service, and nobody else could see its health. Invite somebody who takes "${owner.email}" over; then delete your account.`,
      );
    }
    const successor = await member(service, owner, 'administrator');
    expect((await removeFrom(owner)).status).toBe(204);
    expect((await removeFrom(other, { confirm })).status).toBe(204);
    expect((await service.call('GET', '/api/v1/instance/health', { key: successor.key })).status).toBe(200);
    expect((await removeFrom(successor, { confirm })).status).toBe(204);
    await service.stop();
  });

  test('is deleted, and an organization that was named after it gets another name', async () => {
    const owner = await app.createAccount();
    const guest = await member(app, owner);
    const role = { role: 'administrator' };
    await app.call('PATCH', `/api/v1/member/${guest.userId}`, { key: owner.key, body: role });
    expect((await remove(owner.key, { password: owner.password })).status).toBe(204);
    const { name } = (await app.call('GET', '/api/v1/organization', { key: guest.key })).json;
    expect(name).toBe(`Organization ${owner.organizationId}`);
  });

  test('is deleted with its organization from every table', async () => {
    // A table that is missing in `known` must be added there, and emptied when an organization is deleted.
    expect((await tablesOfOrganizations()).filter((name) => !knownTables.test(name))).toEqual([]);
  });

  test('of an organization with chunks of clicks is deleted with them', async () => {
    const owner = await app.createAccount();
    const { database } = app.app.context;
    if (database.kind === 'postgres') return;
    const facts = { hits: 1, first_id: 1, last_id: 1, first_at: 1, last_at: 1, classes: 1, made_at: 1 };
    const others = 987_654;
    await database.write(async (queries) => {
      for (let id = 1; id <= 26; id++) {
        const organization_id = id > 25 ? others : owner.organizationId;
        await queries
          .insertInto('hit_chunks')
          .values({ id, organization_id, ...facts })
          .execute();
        const cell = { key: id * 32 + 3, cells: new Uint8Array(1) };
        await queries.insertInto('hit_chunk_columns').values(cell).execute();
        await queries.insertInto('hit_chunk_tallies').values(cell).execute();
      }
    });
    expect((await remove(owner.key, { password: owner.password, confirm })).status).toBe(204);
    for (const table of ['hit_chunks', 'hit_chunk_columns', 'hit_chunk_tallies'] as const)
      await eventually(
        async () => (await database.read.selectFrom(table).selectAll().execute()).length === 1,
        `${table} to have only the row of the other organization`,
      );
  });

  test('is deleted with any number of hours of its links, a few in each statement', async () => {
    const { database } = app.app.context;
    // SQLite's triggers don't know the statement.
    if (database.kind === 'sqlite') return;
    const owner = await app.createAccount();
    const { id } = await link(owner.key);
    await database.write(async (queries) => {
      await sql`insert into link_hours (link_id, hour, click, visitors, counts)
        select cast(${id} as bigint), hour, 1, 1, '' from generate_series(1, 2500) as hour`.execute(queries);
      await sql`create function few_at_once() returns trigger language plpgsql as $$ begin
        if (select count(*) from deleted) > 1000 then raise exception 'too many at once'; end if;
        return null;
      end $$`.execute(queries);
      await sql`create trigger few_at_once after delete on link_hours referencing old table as deleted
        for each statement execute function few_at_once()`.execute(queries);
    });
    expect((await remove(owner.key, { password: owner.password, confirm })).status).toBe(204);
    await eventually(
      async () =>
        (await database.read.selectFrom('link_hours').select('hour').where('link_id', '=', id).execute())
          .length === 0,
      'the hours of the link to be deleted',
    );
  });
});

describe.each(storeKinds)('an account without others on %s', (store) => {
  beforeAll(async () => {
    app = await startApp({ store, overrides: { clearInterval: hourLength } });
  });
  afterAll(stop);

  test('is asked about no more once its organization is cleared away, except its suffixes', async () => {
    const { context } = app.app;
    for (let made = 0; made < 3; made++) {
      const { key, password } = await app.createAccount();
      await link(key);
      expect((await remove(key, { password, confirm })).status).toBe(204);
    }
    let reads = 0;
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        reads += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const { database } = context;
    const counted = { ...database, read: database.read.withPlugin(counting) };
    const organizations = new DeletedOrganizations({ ...context, database: counted });
    await eventually(async () => {
      await organizations.clear();
      const rows = await database.read.selectFrom('link_bin').select('destination_url').execute();
      return rows.length === 3 && rows.every(({ destination_url }) => destination_url === '');
    }, 'the links to be deleted');
    await organizations.clear();
    reads = 0;
    await organizations.clear();
    expect(reads).toBeLessThanOrEqual(1);
  });

  test('that was the last one allows a first account again', async () => {
    const owner = await app.createAccount();
    expect((await remove(owner.key, { password: owner.password, confirm })).status).toBe(204);
    expect((await app.call('GET', '/api/v1/setup')).json.needs_first_account).toBe(true);
    expect((await app.createAccount()).organizationId).not.toBe(owner.organizationId);
  });
});

test.each(storeKinds)(
  'the next account is a first one if the last ones are deleted at once on %s',
  async (store) => {
    const service = await startApp({ store, env: { REGISTRATION: 'open' } });
    for (let round = 0; round < 3; round++) {
      const accounts = await Promise.all(Array.from({ length: 6 }, () => service.createAccount()));
      const removeOne = async ({ key, password }: (typeof accounts)[number]) => {
        const body = { password, confirm };
        return (await service.call('DELETE', '/api/v1/user', { key, body })).status;
      };
      const statuses = await Promise.all(accounts.map(removeOne));
      // The one that runs the service is refused until the others are gone.
      for (const [index, account] of accounts.entries())
        if (statuses[index] === 409) statuses[index] = await removeOne(account);
      expect(new Set(statuses)).toEqual(new Set([204]));
      const account = await service.createAccount();
      const { json } = await service.call('GET', '/api/v1/organization', { key: account.key });
      expect(json.runs_instance).toBe(true);
      await removeOne(account);
    }
    await service.stop();
  },
);

test('the deletion of the last account makes the setup token of before useless', async () => {
  app = await startApp({ env: { REGISTRATION: 'closed', BASE_URL: 'https://links.example.com' } });
  const owner = await app.createAccount();
  const register = (setup_token: string | null) =>
    app.call('POST', '/api/v1/user', {
      headers: { 'x-forwarded-for': '203.0.113.9' },
      body: { email: 'ada@example.com', password: 'a long enough one', setup_token },
    });
  expect((await remove(owner.key, { password: owner.password, confirm })).status).toBe(204);
  expect((await register(app.app.setupToken)).json.error_code).toBe('SETUP_TOKEN_WRONG');
  expect((await register(await setupToken(app.app.context))).status).toBe(201);
  await stop();
});
