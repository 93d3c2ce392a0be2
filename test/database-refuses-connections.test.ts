import { expect, test } from 'bun:test';
import { SQL } from 'bun';
import { dayLength } from '../src/rules/durations.ts';
import { startApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';

/** What an operator does to a database for a while, and how it ends. `database` is quoted. */
const refusals = [
  {
    name: 'is closed to connections',
    begin: (database: string) => `alter database ${database} allow_connections false`,
    end: (database: string) => `alter database ${database} allow_connections true`,
  },
  {
    name: 'has another name',
    begin: (database: string) => `alter database ${database} rename to elsewhere`,
    end: (database: string) => `alter database elsewhere rename to ${database}`,
  },
];

test.each(refusals)(
  'a database that $name for a while is away, and nothing is a fault',
  async ({ begin, end }) => {
    // A poll of the feed that sees the new links late would evict the one that is to be cached.
    const app = await startApp({ store: 'postgres', overrides: { pollInterval: dayLength } });
    const url = new URL(app.databaseUrl);
    const name = url.pathname.slice(1);
    url.pathname = '/postgres';
    await using admin = new SQL({ url: url.href, max: 1 });
    const terminate = `select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = '${name}'`;
    try {
      const owner = await app.createAccount();
      const [cached, uncached] = [await app.createLink(owner), await app.createLink(owner)];
      expect((await app.visit(cached.path)).status).toBe(302);
      const create = () =>
        app.call('POST', '/api/v1/link', {
          key: owner.key,
          body: { destination_url: 'https://example.com/' },
        });

      // No connection may be open when a database is renamed.
      await admin.unsafe(`alter database "${name}" allow_connections false`);
      await eventually(async () => {
        await admin.unsafe(terminate);
        return admin.unsafe(begin(`"${name}"`)).then(
          () => true,
          () => false,
        );
      }, 'the change of the database');
      const call = await create();
      expect([call.status, call.json.error_code]).toEqual([503, 'STORE_AWAY']);
      expect((await app.visit(cached.path)).status).toBe(302);
      expect((await app.visit(uncached.path)).status).toBe(503);
      expect((await app.call('GET', '/readyz')).json).toEqual({ status: 'database away' });

      await admin.unsafe(end(`"${name}"`));
      await admin.unsafe(`alter database "${name}" allow_connections true`);
      await eventually(async () => (await create()).status === 201, 'a creation');
      expect((await app.visit(uncached.path)).status).toBe(302);
      expect(app.faults).toEqual([]);
    } finally {
      await app.stop();
    }
  },
);
