import { describe, expect, test } from 'bun:test';
import { dayLength } from '../src/rules/durations.ts';
import { storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { seedHits } from './support/hits.ts';

describe.each(storeKinds)('link features for the dashboard on %s', (store) => {
  const { app, owner } = appWithOwner({ store });
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.call(method, `/api/v1${path}`, { key: owner.key, headers, ...(body === undefined ? {} : { body }) });
  const create = async (body: object = {}) =>
    (await send('POST', '/link', { destination_url: 'https://example.com', ...body })).json;
  const tag = async (name: string) => (await send('POST', '/tag', { name })).json.id as number;
  const ids = (json: { links: { id: number }[] }) => json.links.map(({ id }) => id);

  test('a link has the time of its last change, and every change is later than the one before', async () => {
    const link = await create();
    expect(link.updated_at).toBe(new Date(app.clock.now).toISOString());
    const first = (await send('PATCH', `/link/${link.id}`, { name: 'a' })).json;
    const second = (await send('PATCH', `/link/${link.id}`, { name: 'b' })).json;
    expect([link.updated_at, first.updated_at, second.updated_at]).toEqual(
      [0, 1, 2].map((later) => new Date(app.clock.now + later).toISOString()),
    );
  });

  test('an update based on an outdated state is refused', async () => {
    const link = await create({ name: 'as it was' });
    const patch = (version: string, name: string) =>
      send('PATCH', `/link/${link.id}`, { name }, { 'if-match': version });
    const mine = await patch(`"${link.updated_at}"`, 'mine');
    expect(mine.status).toBe(200);
    const theirs = await patch(`"${link.updated_at}"`, 'theirs');
    expect([theirs.status, theirs.json.error_code]).toEqual([409, 'LINK_CHANGED']);
    expect((await send('GET', `/link/${link.id}`)).json).toEqual(mine.json);
    expect((await patch('nonsense', 'x')).status).toBe(400);
    expect((await patch('*', 'any')).json.name).toBe('any');
    const { updated_at } = (await send('GET', `/link/${link.id}`)).json;
    expect((await patch(`"other", ${updated_at}`, 'one of several')).status).toBe(200);
  });

  test('an update that changes nothing is no change: it keeps the version, and no webhook is sent', async () => {
    const red = await tag(`red ${store}`);
    const link = await create({
      name: 'as it was',
      tags: [red],
      webhook_url: 'https://example.com/hook',
      webhook_auth_key: 'as it was',
      webhook_events: ['link.updated'],
    });
    const deliveries = async () =>
      (await send('GET', `/link/${link.id}/webhook_deliveries`)).json.webhook_deliveries.length;
    const whole = (await send('GET', `/link/${link.id}`)).json;
    const { updated_at } = whole;
    for (const same of [{}, { name: 'as it was' }, { add_tags: [red] }, { suffix: link.suffix }, whole])
      expect((await send('PATCH', `/link/${link.id}`, same)).json.updated_at).toBe(updated_at);
    expect(await deliveries()).toBe(0);
    const other = { name: 'other' };
    expect((await send('PATCH', `/link/${link.id}`, other, { 'if-match': `"${updated_at}"` })).status).toBe(
      200,
    );
    const recoloured = await send('PATCH', `/link/${link.id}`, { remove_tags: [red] });
    expect(recoloured.json.tags).toEqual([]);
    expect(await deliveries()).toBe(2);
  });

  test('of two simultaneous changes of the same state, one succeeds', async () => {
    const link = await create();
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        send('PATCH', `/link/${link.id}`, { name: `${index}` }, { 'if-match': `"${link.updated_at}"` }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
  });

  test('the list has the clicks of the last days, by UTC day, today last', async () => {
    const [link, other] = [await create(), await create()];
    const today = Math.floor(app.clock.now / dayLength) * dayLength;
    const hit = { link: link.id, organization: owner.organizationId };
    await seedHits(app.app.context.database, [
      { ...hit, at: today },
      { ...hit, at: today },
      // By a clock that is ahead.
      { ...hit, at: today + dayLength },
      { ...hit, at: today - 1 },
      { ...hit, at: today - 13 * dayLength },
      { ...hit, at: today - 13 * dayLength - 1 },
      { ...hit, at: today, class: 'bot', reason: 'monitor' },
    ]);
    const { json } = await send('GET', '/link?daily=14&limit=2');
    expect(ids(json)).toEqual([other.id, link.id]);
    expect(json.links[0].daily_clicks).toEqual(Array(14).fill(0));
    expect(json.links[1].daily_clicks).toEqual([1, ...Array(11).fill(0), 1, 3]);
    const alone = await send('GET', '/link?daily=14&limit=1&offset=1');
    expect(alone.json.links).toEqual([json.links[1]]);
    expect((await send('GET', '/link?limit=2')).json.links[0]).not.toHaveProperty('daily_clicks');
    expect((await send('GET', '/link?daily=14&limit=101')).json.field_key).toBe('limit');
    for (const daily of ['0', '32', 'x', '-1']) {
      expect((await send('GET', `/link?daily=${daily}`)).json.field_key).toBe('daily');
    }
    const sentBack = await send('PATCH', `/link/${link.id}`, json.links[1]);
    expect(sentBack.status).toBe(200);
  });

  test('several tags find the links that have all of them', async () => {
    const [a, b, c] = [await tag('a'), await tag('b'), await tag('c')];
    const [both, onlyA] = [await create({ tags: [a, b] }), await create({ tags: [a] })];
    const all = await create({ tags: [a, b, c] });
    const found = async (query: string) => {
      const { json } = await send('GET', `/link?tag=${query}`);
      expect(json.total_links).toBe(json.links.length);
      return ids(json);
    };
    expect(await found(`${a}`)).toEqual([all.id, onlyA.id, both.id]);
    expect(await found(`${a},${b}`)).toEqual([all.id, both.id]);
    expect(await found(`${c},${b},${a},${a}`)).toEqual([all.id]);
    expect(await found(`${a},999999`)).toEqual([]);
    for (const wrong of ['', ',', '1,', 'x', '0', Array(11).fill(1).join(',')]) {
      expect((await send('GET', `/link?tag=${wrong}`)).json.field_key).toBe('tag');
    }
    const listed = (await send('GET', '/tag')).json;
    const counts = Object.fromEntries(
      listed.map(({ name, links }: { name: string; links: number }) => [name, links]),
    );
    expect(counts).toMatchObject({ a: 3, b: 2, c: 1 });
    await send('PATCH', `/link/${all.id}`, { remove_tags: [c], add_tags: [a] });
    await send('DELETE', `/link/${both.id}`);
    expect((await send('GET', `/tag/${a}`)).json.links).toBe(2);
    expect((await send('GET', `/tag/${c}`)).json.links).toBe(0);
  });

  test('links are exported as CSV, all matches or selected ones, without their secrets', async () => {
    const spring = await tag('Spring, 50%');
    const link = await create({
      destination_url: 'https://example.com/?a="b",c',
      name: '=HYPERLINK("http://evil.example")',
      password: 'sesame',
      webhook_url: 'https://example.com/hook',
      webhook_auth_key: 'whsec_secret',
      tags: [spring, await tag('two')],
      expiration_date: '2031-01-01',
    });
    const other = await create({ name: 'line\nbreak' });
    const { status, headers, text } = await send('GET', `/link.csv?tag=${spring}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('content-disposition')).toBe('attachment; filename="links.csv"');
    const [names, line, end] = text.split('\r\n');
    expect(names).toStartWith('id,url,destination_url,domain,suffix,name,tags,clicks,');
    expect(line).toStartWith(`${link.id},${link.url},"https://example.com/?a=%22b%22,c",`);
    expect(line).toContain(`"'=HYPERLINK(""http://evil.example"")","""Spring, 50%"", two",0,,`);
    expect(line).toContain('2031-01-01T00:00:00.000Z,true,');
    expect(end).toBe('');
    for (const secret of ['whsec_secret', link.zapier_key, 'argon2']) expect(text).not.toContain(secret);
    const named = (await send('GET', `/link.csv?ids=${other.id},999999,${link.id}`)).text;
    expect(named.match(/^\d+,/gm)).toEqual([`${other.id},`, `${link.id},`]);
    expect(named).toContain('"line\nbreak"');
    const stranger = await app.createAccount();
    const theirs = await app.call('GET', `/api/v1/link.csv?ids=${link.id}`, { key: stranger.key });
    expect(theirs.text.trim()).toBe(names ?? '');
    expect((await send('GET', '/link.csv?ids=1;2')).json.field_key).toBe('ids');
    expect((await app.call('GET', '/api/v1/link.csv')).status).toBe(401);
  });

  test('an export of more links than one read returns contains each once', async () => {
    const many = Array.from({ length: 450 }, (_, index) => ({
      destination_url: `https://export.example/${index}`,
    }));
    await send('POST', '/link/bulk?disable_png=true', { links: many });
    const { text } = await send('GET', '/link.csv?q=export.example');
    const lines = text.trim().split('\r\n').slice(1);
    expect(lines).toHaveLength(450);
    const numbers = lines.map((line) => Number(line.split(',', 1)[0]));
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => other - one));
  });
});
