import { afterEach, describe, expect, test } from 'bun:test';
import { hourLength } from '../src/rules/durations.ts';
import { onOneStore, startApp, storeKinds, type TestApp } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { inside } from './support/outside-target.ts';
import { SECRET_KEY } from './support/secret-key.ts';
import { html, type Site, site, stopSites, titleOverrides, titleSettings } from './support/title-sites.ts';

const png = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\b\x06\0\0\0', 'latin1'),
  Buffer.alloc(60, 7),
]);
afterEach(stopSites);

describe.each(storeKinds)('titles and icons of destinations on %s', (store) => {
  const { app, call } = appWithOwner({ store, env: titleSettings, overrides: titleOverrides });
  const create = async (destination_url: string) => (await call('POST', '/link', { destination_url })).json;
  const read = async ({ id }: { id: number }) => (await call('GET', `/link/${id}`)).json;
  const isDue = async ({ id }: { id: number }) =>
    (await queries().selectFrom('due_pages').select('host').where('link_id', '=', id).execute()).length > 0;
  const queries = () => app.app.context.database.read;
  /** The link once its destination was fetched. */
  const fetched = async (link: { id: number }) => {
    // A host is fetched again only after a pause, by the app's clock.
    await eventually(async () => {
      if (!(await isDue(link))) return true;
      app.clock.now += 500;
      return false;
    }, 'the destination to be fetched');
    return read(link);
  };

  test('a new link gets the title and the icon, which is served from here with its own type', async () => {
    const destination = site((path) =>
      path === '/i.png'
        ? new Response(png, { headers: { 'content-type': 'text/html' } })
        : html('<title>Spring &amp; all</title><link rel=icon href="i.png">'),
    );
    const link = await create(`${destination.url}/page`);
    expect([link.destination_title, link.destination_icon]).toEqual([null, null]);
    const found = await fetched(link);
    expect(found).toMatchObject({ destination_title: 'Spring & all', updated_at: link.updated_at });
    const path = new URL(found.destination_icon).pathname;
    const icon = await fetch(app.url + path);
    expect([
      icon.status,
      icon.headers.get('content-type'),
      icon.headers.get('x-content-type-options'),
    ]).toEqual([200, 'image/png', 'nosniff']);
    expect(icon.headers.get('content-security-policy')).toContain('sandbox');
    expect(Buffer.from(await icon.arrayBuffer()).equals(png)).toBe(true);
    expect(
      (
        await app.call(
          'GET',
          path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        )
      ).status,
    ).toBe(404);
    expect((await app.call('GET', '/assets/icon/../../etc/passwd')).status).toBe(404);
    const csv = (await call('GET', `/link.csv?ids=${link.id}`)).text;
    expect(csv).toContain('Spring & all');

    // Another link to the page: the icon is already stored.
    const second = await fetched(await create(`${destination.url}/page`));
    expect(second.destination_icon).toBe(found.destination_icon);
    expect(destination.requestedPaths.filter((asked) => asked === '/i.png')).toHaveLength(1);
    // Each link's page is fetched once, and again when its destination changes.
    expect(destination.requestedPaths.filter((asked) => asked === '/page')).toHaveLength(2);
    const moved = (await call('PATCH', `/link/${link.id}`, { destination_url: `${destination.url}/other` }))
      .json;
    expect([moved.destination_title, moved.destination_icon]).toEqual([null, null]);
    expect((await fetched(link)).destination_title).toBe('Spring & all');
    await call('PATCH', `/link/${link.id}`, { name: 'named' });
    expect(await isDue(link)).toBe(false);
  });

  test('three hundred links to one host delay no other host, and the newest is fetched first', async () => {
    let release = () => {};
    const blocked = new Promise<void>((done) => {
      release = done;
    });
    const busy = site(async () => {
      await blocked;
      return html('<title>Busy</title>');
    });
    const links = Array.from({ length: 300 }, (_, at) => ({ destination_url: `${busy.url}/${at}` }));
    const made = await call('POST', '/link/bulk', { links });
    expect(made.status).toBe(200);
    const other = site(() => html('<title>Other</title>'));
    expect((await fetched(await create(other.url))).destination_title).toBe('Other');
    // Each fetch is given up at its deadline, and then the host's next page is fetched.
    expect(busy.requestedPaths.length).toBeLessThan(10);
    expect(busy.requestedPaths[0]).toBe('/299');
    const rows = async () =>
      (
        await queries()
          .selectFrom('due_pages')
          .select('link_id')
          .where('host', '=', new URL(busy.url).host)
          .execute()
      ).length;
    expect(await rows()).toBeGreaterThan(280);
    const ids = made.json.results.map(({ link }: { link: { id: number } }) => link.id);
    await call('POST', '/link/bulk_delete', { ids });
    release();
    const asked = busy.requestedPaths.length;
    await pollUntil(
      async () => {
        app.clock.now += 500;
        return rows();
      },
      (left) => left === 0,
      'the deleted links to leave the queue',
    );
    // At most the fetch that was under way when they were deleted.
    expect(busy.requestedPaths.length).toBeLessThanOrEqual(asked + 1);
  });

  test('a link whose destination changes while its page is fetched gets the title of the new page', async () => {
    let release = () => {};
    const blocked = new Promise<void>((done) => {
      release = done;
    });
    const destination = site(async (path) => {
      if (path === '/first') await blocked;
      return html(`<title>${path}</title>`);
    });
    const link = await create(`${destination.url}/first`);
    await eventually(
      async () => destination.requestedPaths.includes('/first'),
      'the first page to be requested',
    );
    await call('PATCH', `/link/${link.id}`, { destination_url: `${destination.url}/second` });
    release();
    expect((await fetched(link)).destination_title).toBe('/second');
    // The link now leads to another host, so its page isn't requested from the first one.
    const elsewhere = site(() => html('<title>Elsewhere</title>'));
    await call('PATCH', `/link/${link.id}`, { destination_url: `${destination.url}/third` });
    await call('PATCH', `/link/${link.id}`, { destination_url: elsewhere.url });
    expect((await fetched(link)).destination_title).toBe('Elsewhere');
  });

  test('a link that was deleted before its page was fetched gets its title when it is restored', async () => {
    const destination = site(() => html('<title>Back</title>'));
    const link = await create(destination.url);
    await call('DELETE', `/link/${link.id}`);
    await eventually(async () => {
      app.clock.now += 500;
      return !(await isDue(link));
    }, 'the link to leave the queue');
    expect((await call('POST', '/link/restore', { ids: [link.id] })).status).toBe(200);
    expect((await fetched(link)).destination_title).toBe('Back');
  });

  test('a host gets one request at a time, however many links go there, and visits do not wait', async () => {
    let release = () => {};
    const blocked = new Promise<void>((done) => {
      release = done;
    });
    const slow: Site = site(async (path) => {
      if (slow.requestedPaths.length === 1) await blocked;
      return html(`<title>${path}</title>`);
    });
    const links = [];
    for (let at = 1; at <= 4; at++) links.push(await create(`${slow.url}/${at}`));
    await eventually(async () => slow.requestedPaths.length > 0, 'the first page to be requested');
    const [first] = links;
    const started = performance.now();
    expect((await app.visit(`/${first.suffix}`)).status).toBe(302);
    expect(performance.now() - started).toBeLessThan(1_000);
    release();
    for (const [index, link] of links.entries())
      expect((await fetched(link)).destination_title).toBe(`/${index + 1}`);
    expect(slow.maxConcurrent()).toBe(1);
  });

  onOneStore(store, () => {
    test.each<[string, (path: string) => Response | Promise<Response>, string | null]>([
      ['is huge', () => html(`<title>Huge</title>${'x'.repeat(5_000_000)}`), 'Huge'],
      [
        'never ends',
        () =>
          new Response(new ReadableStream({ start: (to) => to.enqueue('<title>Slow</title>') }), {
            headers: { 'content-type': 'text/html' },
          }),
        null,
      ],
      [
        'is in another encoding',
        () =>
          new Response(Buffer.from('<title>Caf\xe9</title>', 'latin1'), {
            headers: { 'content-type': 'text/html; charset=iso-8859-1' },
          }),
        'Café',
      ],
      [
        'has script in its title',
        () => html('<title><script>alert(1)</script></title>'),
        '<script>alert(1)</script>',
      ],
      ['has a title in a script', () => html('<script>document.write("<title>no</title>")</script>'), null],
      ['claims to be compressed', () => html('<title>x</title>', { 'content-encoding': 'gzip' }), null],
      [
        'is not HTML',
        () => new Response('<title>x</title>', { headers: { 'content-type': 'application/pdf' } }),
        null,
      ],
      [
        'does not exist',
        () =>
          new Response('<title>Not found</title>', { status: 404, headers: { 'content-type': 'text/html' } }),
        null,
      ],
      ['redirects forever', (path) => Response.redirect(`${path}x`), null],
      [
        'has an SVG icon',
        (path) =>
          path === '/'
            ? html('<title>S</title><link rel=icon href=/a>')
            : new Response('<svg xmlns="http://www.w3.org/2000/svg"/>', {
                headers: { 'content-type': 'image/png' },
              }),
        'S',
      ],
      [
        'has a huge icon',
        (path) =>
          path === '/' ? html('<title>H</title>') : new Response(Buffer.concat([png, Buffer.alloc(40_000)])),
        'H',
      ],
    ])('a page that %s: only a valid title is stored, and no invalid icon', async (_, response, title) => {
      const destination = site(response);
      const found = await fetched(await create(destination.url));
      expect([found.destination_title, found.destination_icon]).toEqual([title, null]);
    });

    test('a redirect is followed, but never to an internal address', async () => {
      const internalSite = site(() => html('<title>Secret</title>'), inside);
      const port = new URL(internalSite.url).port;
      const redirectTargets = [
        `http://localhost:${port}/`,
        `http://[::1]:${port}/`,
        `http://[::ffff:127.0.0.1]:${port}/`,
        `http://127.0.0.1:${port}/`,
        `http://2130706433:${port}/`,
        `http://leads-inside.example:${port}/`,
        `http://leads-inside.example/`,
        'http://169.254.169.254/latest/meta-data/',
        'http://10.0.0.1/',
        'file:///etc/passwd',
        'gopher://127.0.0.1/',
        'http://user:pass@127.0.0.1/',
      ];
      const destination = site((path) => {
        const at = Number(path.slice(1));
        if (path === '/fine')
          return html(`<title>Fine</title><link rel=icon href="http://localhost:${port}/i.png">`);
        return new Response(null, {
          status: 302,
          headers: { location: path === '/go' ? '/fine' : (redirectTargets[at] ?? '') },
        });
      });
      expect((await fetched(await create(`${destination.url}/go`))).destination_title).toBe('Fine');
      for (const at of redirectTargets.keys())
        expect((await fetched(await create(`${destination.url}/${at}`))).destination_title).toBeNull();
      expect(internalSite.requestedPaths).toEqual([]);
    }, 60_000);
  });
});

test('pages that were due when a process stopped are fetched later, by one of two nodes, and never by one with FETCH_TITLES=off', async () => {
  const first = await startApp({
    store: 'postgres',
    env: { ...titleSettings, SECRET_KEY },
    overrides: { pageInterval: hourLength },
  });
  const { key } = await first.createAccount();
  const destination = site((path) =>
    path === '/favicon.ico' ? new Response(null, { status: 404 }) : html(`<title>${path}</title>`),
  );
  const made = [];
  for (let at = 0; at < 6; at++) {
    const body = { destination_url: `${destination.url}/${at}` };
    made.push((await first.call('POST', '/api/v1/link', { key, body })).json);
  }
  expect(destination.requestedPaths).toEqual([]);
  const shared = { DATABASE_URL: first.databaseUrl, SECRET_KEY };
  const nodeWithoutTitles = await startApp({
    env: { ...shared, FETCH_TITLES: 'off' },
    overrides: titleOverrides,
  });
  const nodes: TestApp[] = [];
  try {
    const unfetched = await nodeWithoutTitles.createLink(
      { key },
      { destination_url: `${destination.url}/off` },
    );
    for (let node = 0; node < 2; node++)
      nodes.push(await startApp({ env: { ...titleSettings, ...shared }, overrides: titleOverrides }));
    const [one] = nodes as [TestApp];
    const titles = async () => {
      for (const node of nodes) node.clock.now += 700;
      const { links } = (await one.call('GET', '/api/v1/link', { key })).json;
      return links.map((link: { destination_title: string | null }) => link.destination_title);
    };
    await pollUntil(
      titles,
      (all) => all.filter((title: unknown) => title !== null).length === 6,
      'all titles',
    );
    expect(destination.requestedPaths.filter((path) => path !== '/favicon.ico').sort()).toEqual([
      '/0',
      '/1',
      '/2',
      '/3',
      '/4',
      '/5',
    ]);
    expect(destination.maxConcurrent()).toBe(1);
    expect(
      (await one.call('GET', `/api/v1/link/${unfetched.id}`, { key })).json.destination_title,
    ).toBeNull();
    expect([...first.faults, ...nodes.flatMap((node) => node.faults)]).toEqual([]);
  } finally {
    for (const node of [...nodes, nodeWithoutTitles, first]) await node.stop();
  }
}, 60_000);
