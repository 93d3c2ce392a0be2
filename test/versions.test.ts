import { afterEach, expect, test } from 'bun:test';
import { newestMigration } from '../src/storage/migrate.ts';
import { replaceSetting } from '../src/storage/settings.ts';
import { startApp, storeKinds, type TestApp } from './support/app.ts';
import { answerWhen, eventually } from './support/eventually.ts';

let app: TestApp;
afterEach(() => app.stop());

test.each(storeKinds)(
  'a node on %s that has become too old for the store says so, is not ready and counts nothing; links go on',
  async (store) => {
    app = await startApp({ store, overrides: { versionInterval: 20 } });
    const { key } = await app.newcomer();
    const body = { destination_url: 'https://destination.example' };
    const create = () => app.call('POST', '/api/v1/link?disable_png=true', { key, body });
    const { json } = await create();
    const { database } = app.app.context;
    const need = (number: number) =>
      database.migrate((queries) => replaceSetting(queries, 'least_migration', String(number)));
    const ready = () => app.call('GET', '/readyz');
    const clicks = async () => (await app.call('GET', `/api/v1/link/${json.id}`, { key })).json.clicks;
    // A newer node that only adds something leaves this one as it is.
    await database.write((queries) =>
      queries
        .insertInto('migrations' as never)
        .values({ number: newestMigration + 1 } as never)
        .execute(),
    );
    expect((await ready()).status).toBe(200);

    await need(newestMigration + 1);
    const answer = await answerWhen(ready, ({ status }) => status === 503, 'a no');
    expect(answer.json.status).toBe('too old for the database');
    const refusal = await create();
    if (store === 'postgres') {
      expect(refusal.status).toBe(503);
      expect(refusal.headers.get('retry-after')).not.toBeNull();
    }
    expect((await app.visit(new URL(json.url).pathname)).status).toBe(302);
    await Bun.sleep(300);
    expect(await clicks()).toBe(0);
    expect(app.faults.map((line) => JSON.parse(line))).toMatchObject([
      { event: 'too old for the database', knows: newestMigration, needs: newestMigration + 1 },
    ]);

    await need(newestMigration);
    await answerWhen(ready, ({ status }) => status === 200, 'a yes');
    expect((await create()).status).toBe(201);
    await eventually(async () => (await clicks()) === 1, 'the click of meanwhile');
  },
);
