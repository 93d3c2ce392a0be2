import { describe, expect, test } from 'bun:test';
import { cleanUp } from '../src/manage/clean-up.ts';
import { dayLength, hourLength, minuteLength } from '../src/rules/durations.ts';
import { listNodes, reportNode } from '../src/storage/nodes.ts';
import { startApp, storeKinds } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { startMailServer } from './support/mail-server.ts';
import { advanceWatch, startSites } from './support/monitored-sites.ts';
import { proveEmail } from './support/proven-emails.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const year = 365 * dayLength;

const target = targetOfEachTest();

describe.each(storeKinds)('after the clock was ahead on %s', (store) => {
  test('everything that was due then is due now', async () => {
    const sites = startSites();
    const app = await startApp({
      store,
      env: { WEBHOOK_ALLOW: '127.0.0.0/8' },
      overrides: {
        watchInterval: 20,
        sweepInterval: 50,
        webhooks: { pollInterval: 50, postOptions: { lookup: sites.lookup } },
      },
    });
    sites.clock = app.clock;
    try {
      const { key } = await app.createAccount();
      const { lookup } = app.app.context.database;
      const begin = app.clock.now;
      const create = async (suffix: string, fields: object) => {
        const destination_url = `http://${suffix}.example.com:${sites.port}/`;
        const made = await app.call('POST', '/api/v1/link', {
          key,
          body: { destination_url, suffix, ...fields },
        });
        expect(made.status).toBe(201);
      };
      const hook = target((before) => new Response('', { status: before === 0 ? 500 : 200 }));
      await create('early', { watch_destination: true, webhook_url: hook.url });
      const failingHook = target(() => new Response('', { status: 500 }));
      await create('failing', { webhook_url: failingHook.url });
      await app.call('POST', '/api/v1/domain', { key, body: { domain: 'go.example.org' } });

      app.clock.now = begin + year;
      await app.visit('/early');
      await app.visit('/failing');
      const waiting = lookup
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('next_try_at', '>', begin + year)
        .where('tries', '=', 1);
      const sweeps = async () => {
        const words = await lookup.selectFrom('word_sweeps').select('finished_at').executeTakeFirstOrThrow();
        const watch = await lookup.selectFrom('watch_sweeps').select('finished_at').executeTakeFirstOrThrow();
        return [words.finished_at, watch.finished_at];
      };
      const areAhead = async () => (await sweeps()).every((at) => at > begin + dayLength);
      const checkedAt = async () =>
        (await lookup.selectFrom('domains').select('checked_at').executeTakeFirstOrThrow()).checked_at;
      await eventually(async () => (await waiting.execute()).length === 2, 'failed messages');
      await eventually(areAhead, 'the sweeps');
      await eventually(() => sites.requestsTo('early.example.com').length > 0, 'a check');
      await eventually(async () => Number(await checkedAt()) > begin + dayLength, 'a check of the domain');

      app.clock.now = begin + minuteLength;
      await create('late', { watch_destination: true });
      await cleanUp(app.app.context);
      await hook.calls(2);
      await failingHook.calls(2);
      const { since } = await lookup.selectFrom('webhook_outages').select('since').executeTakeFirstOrThrow();
      expect(since).toBeLessThan(begin + dayLength);
      const tried = await lookup.selectFrom('webhook_deliveries').select('first_tried_at').execute();
      expect(Math.max(...tried.map(({ first_tried_at }) => first_tried_at ?? 0))).toBeLessThan(
        begin + dayLength,
      );
      await advanceWatch([app], 16 * minuteLength);
      await advanceWatch([app], minuteLength);
      expect(sites.requestsTo('late.example.com').length).toBeGreaterThan(0);
      expect(Math.max(...(await sweeps()))).toBeLessThan(begin + dayLength);
      await eventually(async () => Number(await checkedAt()) < begin + dayLength, 'a check of the domain');
      expect(app.faults).toEqual([]);
    } finally {
      await app.stop();
      sites.stop();
    }
  });

  test('mails about failing destinations and refused changes are sent', async () => {
    const sites = startSites();
    const mails = await startMailServer();
    const app = await startApp({
      store,
      env: { WEBHOOK_ALLOW: '127.0.0.0/8', SMTP_URL: `smtp://127.0.0.1:${mails.port}` },
      overrides: {
        ...{ watchInterval: 20, scheduledInterval: 20, refusalInterval: 20 },
        webhooks: { postOptions: { lookup: sites.lookup } },
      },
    });
    sites.clock = app.clock;
    try {
      const { key, userId } = await app.createAccount();
      const { database } = app.app.context;
      await proveEmail(app, userId);
      const call = async (method: string, path: string, body?: object) =>
        (await app.call(method, `/api/v1/${path}`, { key, ...(body && { body }) })).json;
      const create = (path: string) => {
        sites.respond('site.example.com', path, () => new Response('', { status: 404 }));
        const destination_url = `http://site.example.com:${sites.port}${path}`;
        return call('POST', 'link', { destination_url, watch_destination: true });
      };
      const advance = async (...times: readonly number[]) => {
        for (const time of times) await advanceWatch([app], time);
      };
      const subjects = () => mails.mails.map(({ headers }) => headers.get('subject'));
      const failing = 'A link leads to a failing destination';
      const begin = app.clock.now;

      app.clock.now = begin + year;
      await create('/mailed');
      await advance(16 * minuteLength, minuteLength, hourLength, minuteLength, 11 * minuteLength);
      await eventually(() => subjects().includes(failing), 'the first mail');
      const link = await create('/suspected');
      await advance(16 * minuteLength, minuteLength);
      const tag = (await call('POST', 'tag', { name: 'gone' })).id;
      const at = new Date(app.clock.now + minuteLength).toISOString();
      await call('POST', `link/${link.id}/scheduled`, { at, changes: { add_tags: [tag] } });
      await call('DELETE', `tag/${tag}`);
      app.clock.now += minuteLength + 1;
      const refused = database.lookup.selectFrom('scheduled_changes').select('id').where('untold', '>', 0);
      await eventually(async () => (await refused.execute()).length === 1, 'the refusal');
      expect(subjects()).toEqual([failing]);

      app.clock.now = begin + minuteLength;
      await cleanUp(app.app.context);
      await advance(16 * minuteLength, minuteLength, hourLength, minuteLength, 11 * minuteLength);
      await advance(6 * hourLength);
      // On a busy machine a mail may fail, and is sent again ten minutes later.
      await eventually(async () => {
        await advance(11 * minuteLength);
        return subjects().length === 3;
      }, 'both mails');
      expect(subjects().filter((subject) => subject === failing)).toHaveLength(2);
    } finally {
      await app.stop();
      sites.stop();
      await mails[Symbol.asyncDispose]();
    }
  });

  test('the last uses of keys and sessions are right after the next one', async () => {
    const app = await startApp({ store });
    try {
      const { key, email, password } = await app.createAccount();
      const begin = app.clock.now;
      app.clock.now = begin + year;
      const body = { email, password };
      const signedIn = await app.call('POST', '/api/v1/session', { body, headers: { origin: app.url } });
      const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
      const lastUses = async (): Promise<string[]> => {
        const [[apiKey], [session]] = await Promise.all([
          app.call('GET', '/api/v1/api_key', { key }).then(({ json }) => json),
          app.call('GET', '/api/v1/session', { headers: { cookie } }).then(({ json }) => json),
        ]);
        return [apiKey.last_used_at, session.last_used_at].map((used) => used?.slice(0, 4));
      };
      const yearOf = (time: number) => String(new Date(time).getUTCFullYear());
      const ahead = yearOf(begin + year);
      const lastUsedIn = (expected: string) => async () =>
        (await lastUses()).every((used) => used === expected);
      await eventually(lastUsedIn(ahead), 'the uses ahead');
      app.clock.now = begin + minuteLength;
      await eventually(lastUsedIn(yearOf(app.clock.now)), 'the next uses');
    } finally {
      await app.stop();
    }
  });

  test('wrong guesses from that time lock nobody out', async () => {
    const app = await startApp({ store });
    try {
      const { email, password } = await app.createAccount();
      const signIn = async (guess: string) => {
        const body = { email, password: guess };
        return (await app.call('POST', '/api/v1/auth/create_tokens', { body })).status;
      };
      const begin = app.clock.now;
      app.clock.now = begin + 10 * dayLength;
      for (let guess = 1; guess <= 20; guess++) await signIn(`wrong guess ${guess}`);
      expect(await signIn(password)).toBe(429);
      app.clock.now = begin + minuteLength;
      expect(await signIn(password)).toBe(201);
    } finally {
      await app.stop();
    }
  });

  test('a process that was killed then counts as gone', async () => {
    const app = await startApp({ store, overrides: { heartbeatInterval: 20 } });
    try {
      const { key } = await app.createAccount();
      const { database } = app.app.context;
      const processes = async () =>
        (await app.call('GET', '/api/v1/instance/node', { key })).json.nodes[0]?.processes;
      await eventually(async () => (await processes()) === 1, 'its report');
      const [reported] = await listNodes(database.read);
      if (reported === undefined) throw new Error('no node');
      const killed = { ...reported, process: 'killed', seen_at: app.clock.now + year };
      await database.write((queries) => reportNode(queries, killed));
      expect(await processes()).toBe(2);
      await cleanUp(app.app.context);
      app.clock.now += 2 * minuteLength;
      await eventually(async () => (await listNodes(database.read)).length === 1, 'its end');
      expect(await processes()).toBe(1);
    } finally {
      await app.stop();
    }
  });
});
