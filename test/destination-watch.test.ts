import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mailDestinations } from '../src/manage/destinations/mail-destinations.ts';
import { dayLength, hourLength, minuteLength } from '../src/rules/durations.ts';
import { onOneStore, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { selfSigned } from './support/certificate.ts';
import { eventually } from './support/eventually.ts';
import { type MailServer, startMailServer } from './support/mail-server.ts';
import { advanceWatch, dueChecks, type Sites, startSites } from './support/monitored-sites.ts';
import { proveEmail } from './support/proven-emails.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const target = targetOfEachTest();

const redirect = (to: string, status: number) => () => Response.redirect(to, status);

describe.each(storeKinds)('the destination watch on %s', (store) => {
  let sites: Sites;
  let mails: MailServer;
  let hosts = 0;
  const created: { id: number; key: string }[] = [];
  /** A host name of its own for each test, on one shared server. */
  let host: string;

  const { app, owner } = appWithOwner(async () => {
    mails = await startMailServer();
    sites = startSites();
    return {
      store,
      env: {
        WEBHOOK_ALLOW: '127.0.0.0/8',
        SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      },
      overrides: {
        watchInterval: 5,
        webhooks: { pollInterval: 10, postOptions: { lookup: sites.lookup } },
      },
    };
  });
  beforeAll(() => {
    sites.clock = app.clock;
  });

  const call = (method: string, path: string, body?: object, key = owner.key) =>
    app.call(method, `/api/v1/${path}`, { key, ...(body && { body }) });
  const create = async (body: object, key = owner.key) => {
    const made = await call('POST', 'link', body, key);
    if (made.status !== 201) throw new Error(made.text);
    created.push({ id: made.json.id, key });
    return made.json;
  };
  const read = async (id: number) => (await call('GET', `link/${id}`)).json;
  const advance = (time: number) => advanceWatch([app], time);
  const kindsOf = async (id: number) =>
    (await read(id)).destination_problems.map(({ problem }: { problem: string }) => problem);
  const urlOf = (path: string, name = host) => `http://${name}:${sites.port}${path}`;
  /** Waits until new destinations are stored, and checked twice. */
  const checkTwice = async () => {
    await advance(16 * minuteLength);
    await advance(minuteLength);
    await advance(hourLength);
    await advance(minuteLength);
  };

  beforeEach(() => {
    host = `site${++hosts}.example.com`;
  });
  // Otherwise every test would check the links of earlier tests, day by day.
  afterEach(async () => {
    for (const { id, key } of created.splice(0)) await call('DELETE', `link/${id}`, undefined, key);
  });
  afterAll(async () => {
    sites.stop();
    await mails[Symbol.asyncDispose]();
  });

  test('reports a broken page when it was found twice, an hour apart, and its recovery', async () => {
    const hook = target();
    sites.respond(host, '/gone', () => new Response('no', { status: 404 }));
    const link = await create({
      destination_url: urlOf('/gone'),
      watch_destination: true,
      webhook_url: hook.url,
      webhook_events: ['link.destination_failed', 'link.destination_recovered'],
    });
    expect(link).toMatchObject({ watch_destination: true, destination_problems: [] });
    await advance(16 * minuteLength);
    await advance(minuteLength);
    expect(sites.requestsTo(host).map(({ path }) => path)).toEqual(['/robots.txt', '/gone']);
    await advance(50 * minuteLength);
    expect(await kindsOf(link.id)).toEqual([]);
    expect(sites.requestsTo(host)).toHaveLength(2);
    await advance(11 * minuteLength);
    const problem = { url: urlOf('/gone'), problem: 'broken', detail: 'It answered 404.' };
    expect((await read(link.id)).destination_problems).toMatchObject([problem]);
    // While the clock jumps, a message may be considered lost, and be sent twice.
    const messages = () =>
      [...new Map(hook.received.map(({ headers, body }) => [headers['webhook-id'], body])).values()].map(
        (body) => JSON.parse(body),
      );
    await hook.calls(1);
    expect(messages()[0]).toMatchObject({
      event: 'link.destination_failed',
      payload: { link_id: link.id, destination_problem: problem },
    });
    const listed = await call('GET', 'link?has_problem=true');
    expect(listed.json).toMatchObject({ total_links: 1, links: [{ id: link.id }] });
    const others = (await call('GET', 'link?has_problem=false&limit=1000')).json.links;
    expect(others.some(({ id }: { id: number }) => id === link.id)).toBe(false);

    sites.respond(host, '/gone', () => new Response('here again'));
    await advance(dayLength);
    await advance(minuteLength);
    await eventually(() => messages().length === 2, 'the second message');
    expect(messages()[1]).toMatchObject({
      event: 'link.destination_recovered',
      payload: { link_id: link.id, destination_problem: problem },
    });
    expect(await kindsOf(link.id)).toEqual([]);
    expect((await call('GET', 'link?has_problem=true')).json.total_links).toBe(0);
    expect(messages()).toHaveLength(2);
    for (const { agent } of sites.requestsTo(host)) expect(agent).toMatch(/^Linnet-Watch\/[\d.]+ \(\+http/);
  });

  test('names the address that a moved page has now, without another message', async () => {
    const hook = target();
    sites.respond(host, '/old', redirect(urlOf('/new'), 301));
    const webhook_events = ['link.destination_failed', 'link.destination_recovered'];
    const link = await create({
      ...{ destination_url: urlOf('/old'), watch_destination: true, webhook_url: hook.url, webhook_events },
    });
    await checkTwice();
    const [problem] = (await read(link.id)).destination_problems;
    expect(problem).toMatchObject({ problem: 'moved', detail: urlOf('/new') });
    sites.respond(host, '/old', redirect(urlOf('/newer'), 301));
    await advance(dayLength);
    await advance(minuteLength);
    expect((await read(link.id)).destination_problems).toEqual([{ ...problem, detail: urlOf('/newer') }]);
    await hook.calls(1);
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id']))).toHaveProperty('size', 1);
  });

  test('requests a host every ten seconds at most, for all links, and a URL once for all', async () => {
    const otherAccount = await app.createAccount();
    const paths = ['/1', '/2', '/3', '/4', '/5'];
    for (const { key } of [owner, otherAccount])
      for (const path of paths) await create({ destination_url: urlOf(path), watch_destination: true }, key);
    await advance(16 * minuteLength);
    await advance(2 * minuteLength);
    const asked = sites.requestsTo(host);
    expect(asked.map(({ path }) => path).toSorted()).toEqual([...paths, '/robots.txt']);
    const times = asked.map((request) => request.at);
    for (const [index, time] of times.slice(1).entries())
      expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(10_000);
    await advance(12 * hourLength);
    expect(sites.requestsTo(host)).toHaveLength(6);
    await advance(13 * hourLength);
    expect(sites.requestsTo(host)).toHaveLength(12);
  });

  test('is turned on and off by an organization for links without their own setting', async () => {
    const administrator = await app.createAccount();
    const ownCall = (method: string, path: string, body?: object) =>
      call(method, path, body, administrator.key);
    sites.respond(host, '/x', () => new Response('', { status: 410 }));
    const plain = await create({ destination_url: urlOf('/x') }, administrator.key);
    const unwatched = await create(
      { destination_url: urlOf('/x'), watch_destination: false },
      administrator.key,
    );
    expect(plain.watch_destination).toBeNull();
    await checkTwice();
    expect(sites.requestsTo(host)).toEqual([]);
    const { json } = await ownCall('PATCH', 'organization', { watch_destinations: true });
    expect(json).toMatchObject({ watch_destinations: true, can_watch_destinations: true });
    await checkTwice();
    const problems = async (id: number) =>
      (await ownCall('GET', `link/${id}`)).json.destination_problems.length;
    expect([await problems(plain.id), await problems(unwatched.id)]).toEqual([1, 0]);
    await ownCall('PATCH', 'organization', { watch_destinations: false });
    await advance(16 * minuteLength);
    expect(await problems(plain.id)).toBe(0);
    const asked = sites.requestsTo(host).length;
    await advance(2 * dayLength);
    expect(sites.requestsTo(host)).toHaveLength(asked);
  });

  test('is in the history, in bulk, the CSV and the bin; a new destination has no findings', async () => {
    sites.respond(host, '/x', () => new Response('', { status: 404 }));
    const { id } = await create({ destination_url: urlOf('/x') });
    await call('PATCH', 'link/bulk', { ids: [id], watch_destination: true });
    expect((await call('GET', `link/${id}/history`)).json.history[0].changes).toEqual([
      { field: 'watch_destination', from: null, to: true, hidden: false },
    ]);
    await checkTwice();
    expect(await kindsOf(id)).toEqual(['broken']);
    const csv = await app.call('GET', `/api/v1/link.csv?ids=${id}`, { key: owner.key });
    expect(csv.text).toContain(`broken: ${urlOf('/x')}`);
    await call('DELETE', `link/${id}`);
    await advance(16 * minuteLength);
    sites.respond(host, '/x', () => new Response('well'));
    await call('POST', 'link/restore', { ids: [id] });
    await advance(16 * minuteLength);
    await advance(dayLength + hourLength);
    expect(await kindsOf(id)).toEqual([]);
    sites.respond(host, '/x', () => new Response('', { status: 404 }));
    await advance(dayLength + hourLength);
    await advance(2 * hourLength);
    expect(await kindsOf(id)).toEqual(['broken']);
    sites.respond(host, '/y', () => new Response('', { status: 404 }));
    const changed = await call('PATCH', `link/${id}`, { destination_url: urlOf('/y') });
    expect(changed.json.destination_problems).toEqual([]);
    const asked = sites.requestsTo(host).filter(({ path }) => path === '/x').length;
    await checkTwice();
    const bulk = (change: object) => call('PATCH', 'link/bulk', { ids: [id], ...change });
    for (const change of [{ disabled: true }, { watch_destination: false }, null]) {
      await bulk({ archived: true });
      expect(await kindsOf(id)).toEqual(['broken']);
      await (change ? bulk(change) : call('PATCH', `link/${id}`, { disabled: true }));
      expect(await kindsOf(id)).toEqual([]);
      await bulk({ disabled: false, watch_destination: true });
      await advance(16 * minuteLength);
    }
    expect(await kindsOf(id)).toEqual(['broken']);
    await advance(2 * dayLength);
    expect(sites.requestsTo(host).filter(({ path }) => path === '/x')).toHaveLength(asked);
    await call('PATCH', `link/${id}`, { watch_destination: null });
    expect((await read(id)).watch_destination).toBeNull();
  });

  test('sends administrators one mail with all findings, and the next one six hours later at the earliest', async () => {
    const administrator = await app.createAccount();
    await proveEmail(app, administrator.userId);
    const ownMails = () => mails.mails.filter(({ to }) => to.includes(administrator.email));
    for (const path of ['/a', '/b']) {
      sites.respond(host, path, () => new Response('', { status: 500 }));
      await create(
        { destination_url: urlOf(path), watch_destination: true, name: `evil.example.com${path}` },
        administrator.key,
      );
    }
    await checkTwice();
    await advance(11 * minuteLength);
    await eventually(() => ownMails().length === 1, 'the mail');
    expect(ownMails()[0]?.headers.get('subject')).toBe('2 links lead to failing destinations');
    expect(ownMails()[0]?.parts['text/plain']).toContain('/app?has_problem=true');
    expect(ownMails()[0]?.parts['text/plain']).not.toContain('evil.example.com/a');
    sites.respond(host, '/c', () => new Response('', { status: 500 }));
    await create({ destination_url: urlOf('/c'), watch_destination: true }, administrator.key);
    await checkTwice();
    await advance(11 * minuteLength);
    await advance(hourLength);
    expect(ownMails()).toHaveLength(1);
    await advance(6 * hourLength);
    await eventually(() => ownMails().length === 2, 'the second mail');
    expect(ownMails()[1]?.headers.get('subject')).toBe('A link leads to a failing destination');
    await advance(dayLength);
    expect(ownMails()).toHaveLength(2);
  });

  test('names in a mail what was found since the last one, of a link with other problems too', async () => {
    const { key, email, userId } = await app.createAccount();
    await proveEmail(app, userId);
    const texts = () =>
      mails.mails.flatMap(({ to, parts }) => (to.includes(email) ? parts['text/plain'] : []));
    const names = ['one', 'two', 'three'];
    for (const name of names) sites.respond(`${name}.${host}`, '/', () => new Response('', { status: 404 }));
    const [first, second, third] = names.map((name) => urlOf('/', `${name}.${host}`));
    const link = await create({ destination_url: first, watch_destination: true }, key);
    await checkTwice();
    await advance(11 * minuteLength);
    await eventually(() => texts().length === 1, 'the mail');
    const others = { android_link_destination: second, ios_link_destination: third };
    await call('PATCH', `link/${link.id}`, others, key);
    await checkTwice();
    await advance(6 * hourLength);
    await eventually(() => texts().length === 2, 'the second mail');
    const named = texts().map((text = '') =>
      names.filter((name) => text.replaceAll('\u200c', '').includes(`${name}.${host}`)),
    );
    expect(named).toEqual([['one'], ['two', 'three']]);
  });

  test('a problem that is corrected before the mail delays no mail about another one', async () => {
    const administrator = await app.createAccount();
    await proveEmail(app, administrator.userId);
    const ownMails = () => mails.mails.filter(({ to }) => to.includes(administrator.email));
    for (const path of ['/first', '/second'])
      sites.respond(host, path, () => new Response('', { status: 500 }));
    const watched = { watch_destination: true };
    const { id } = await create({ destination_url: urlOf('/first'), ...watched }, administrator.key);
    await checkTwice();
    const corrected = await app.call('PATCH', `/api/v1/link/${id}`, {
      key: administrator.key,
      body: { destination_url: urlOf('/fine') },
    });
    expect(corrected.json.destination_problems).toEqual([]);
    await mailDestinations({ ...app.app.context, now: () => app.clock.now + 11 * minuteLength });
    expect(ownMails()).toHaveLength(0);
    await create({ destination_url: urlOf('/second'), ...watched }, administrator.key);
    await checkTwice();
    await advance(11 * minuteLength);
    await eventually(() => ownMails().length === 1, 'the mail');
    expect(ownMails()[0]?.headers.get('subject')).toBe('A link leads to a failing destination');
  });

  test("doesn't report an unreachable host for some hours while no other host answers", async () => {
    const other = await create({ destination_url: urlOf('/well', `well-${host}`), watch_destination: true });
    const { id } = await create({ destination_url: urlOf('/x'), watch_destination: true });
    await advance(16 * minuteLength);
    await advance(minuteLength);
    sites.isUnresolvable = true;
    await advance(dayLength);
    await advance(2 * hourLength);
    expect([await kindsOf(id), await kindsOf(other.id)]).toEqual([[], []]);
    sites.isUnresolvable = false;
    await advance(2 * hourLength);
    expect([await kindsOf(id), await kindsOf(other.id)]).toEqual([[], []]);
    expect(await dueChecks(app)).toBe(0);
  });

  onOneStore(store, () => {
    test('reports moved and parked pages, bad certificates and missing hosts, for rules too', async () => {
      sites.respond(host, '/old', redirect(urlOf('/new'), 301));
      sites.respond(host, '/before', () => new Response('', { status: 404 }));
      sites.respond(host, '/away', redirect(urlOf('/old'), 302));
      sites.respond(host, '/slash', redirect(urlOf('/slash/'), 308));
      sites.respond(host, '/inside', redirect('http://10.0.0.1:6379/', 302));
      sites.respond(host, '/sold', () => new Response('<title>x.com</title> This domain is for sale!'));
      const { certificate, key } = selfSigned('tls.example.com');
      using secure = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        tls: { cert: certificate, key },
        fetch: () => new Response('hidden'),
      });
      const link = await create({
        destination_url: urlOf('/old'),
        android_link_destination: urlOf('/away'),
        ios_link_destination: urlOf('/slash'),
        // It has started: visitors are no longer sent there.
        start_date: '2020-01-01',
        before_start_url: urlOf('/before'),
        expired_url: urlOf('/sold'),
        watch_destination: true,
        rules: [
          { when: { country: ['DE'] }, destination_url: `https://tls.example.com:${secure.port}/` },
          {
            when: {},
            variants: [
              { destination_url: 'http://no-such-host.example.org/', weight: 1 },
              { destination_url: urlOf('/fine'), weight: 1 },
              { destination_url: 'http://10.0.0.1/inside', weight: 1 },
              { destination_url: urlOf('/inside'), weight: 1 },
            ],
          },
        ],
      });
      await checkTwice();
      const { destination_problems } = await read(link.id);
      const found = Object.fromEntries(
        destination_problems.map((found: { url: string; problem: string; detail: string }) => [
          new URL(found.url).hostname.replace(host, '') + new URL(found.url).pathname,
          [found.problem, found.detail],
        ]),
      );
      expect(found).toEqual({
        '/old': ['moved', urlOf('/new')],
        '/sold': ['parked', expect.stringContaining('parks')],
        'tls.example.com/': ['certificate', expect.stringContaining('SELF_SIGNED')],
        'no-such-host.example.org/': ['broken', expect.stringContaining('no-such-host.example.org')],
      });
    });

    test("respects robots.txt, whose 503 doesn't make a working page broken", async () => {
      sites.respond(host, '/robots.txt', () => new Response('User-agent: *\nDisallow: /private'));
      sites.respond(host, '/private', () => new Response('', { status: 404 }));
      sites.respond(host, '/public', () => new Response('', { status: 404 }));
      const hidden = await create({ destination_url: urlOf('/private?x'), watch_destination: true });
      const open = await create({ destination_url: urlOf('/public'), watch_destination: true });
      const down = `down-${host}`;
      sites.respond(down, '/robots.txt', () => new Response('', { status: 503 }));
      const unsure = await create({ destination_url: urlOf('/gone', down), watch_destination: true });
      await checkTwice();
      expect(sites.requestsTo(host).map(({ path }) => path)).toEqual(['/robots.txt', '/public', '/public']);
      expect([await kindsOf(hidden.id), await kindsOf(open.id), await kindsOf(unsure.id)]).toEqual([
        [],
        ['broken'],
        [],
      ]);
      expect(new Set(sites.requestsTo(down).map(({ path }) => path))).toEqual(new Set(['/robots.txt']));
    });
  });
});
