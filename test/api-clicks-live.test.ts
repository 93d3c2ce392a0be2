import { beforeAll, describe, expect, test } from 'bun:test';
import { type Insertable, sql } from 'kysely';
import { hitColumns } from '../src/rules/click-fields.ts';
import type { Schema } from '../src/storage/schema.ts';
import { onOneStore, startApp, storeKinds, type TestApp } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { insertHits, type SeedHit, takeIds } from './support/hits.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

interface LiveEvent {
  readonly id: number;
  readonly event: string;
  readonly data: { readonly id: number; readonly link_id: number; readonly class: string };
}

/** A client of the stream that records what it receives. */
class Listener {
  readonly events: LiveEvent[] = [];
  readonly comments: string[] = [];
  readonly ended: Promise<void>;
  readonly #abort = new AbortController();

  private constructor(response: Response, abort: AbortController) {
    this.#abort = abort;
    this.ended = this.#read(response).catch(() => {});
  }

  static async open(app: TestApp, key: string, query = '', headers: Record<string, string> = {}) {
    const abort = new AbortController();
    const response = await fetch(`${app.url}/api/v1/clicks/live${query}`, {
      headers: { 'api-key': key, ...headers },
      signal: abort.signal,
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    const listener = new Listener(response, abort);
    await until(() => listener.comments.length > 0);
    return listener;
  }

  get ids(): number[] {
    return this.events.map(({ id }) => id);
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.ended;
  }

  async #read(response: Response): Promise<void> {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) this.#take(part);
    }
  }

  #take(part: string): void {
    if (part.startsWith(':')) {
      this.comments.push(part);
      return;
    }
    const fields = Object.fromEntries(part.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)));
    this.events.push({ id: Number(fields.id), event: fields.event, data: JSON.parse(fields.data) });
  }
}

const until = (isDone: () => boolean, timeout = 60_000) =>
  eventually(isDone, 'the expected events of the stream', timeout);

describe.each(storeKinds)('the live stream on %s', (store) => {
  const { app, owner } = appWithOwner({ store, overrides: { heartbeat: 300 } });
  let link: number;

  beforeAll(async () => {
    link = (await app.createLink(owner)).id;
    // The first visit starts the fold worker, whose low priority makes that slow on a busy machine.
    await app.createLink(owner, { suffix: 'first' });
    await app.visit('/first');
    await app.app.clicks.settled();
  });

  const hit = (more: Partial<SeedHit> = {}): SeedHit => ({
    link,
    organization: owner.organizationId,
    at: Date.now(),
    ...more,
  });
  const add = (...hits: SeedHit[]) => insertHits(app.app.context.database, hits);

  test('shows a click within a second, and other hits only on request', async () => {
    await add(hit());
    const clicks = await Listener.open(app, owner.key);
    const all = await Listener.open(app, owner.key, '?class=all');
    const bots = await Listener.open(app, owner.key, '?class=bot');
    const begin = Date.now();
    await add(hit(), hit({ class: 'bot', reason: 'monitor' }), hit({ outcome: 'expired' }));
    await until(() => clicks.events.length === 1);
    expect(Date.now() - begin).toBeLessThan(scaledToLoad(1_000));
    await until(() => all.events.length === 3 && bots.events.length === 1);
    expect(clicks.events[0]).toMatchObject({ event: 'click', data: { link_id: link, class: 'human' } });
    expect(clicks.events[0]?.id).toBe(clicks.events[0]?.data.id ?? 0);
    expect(bots.events[0]?.data.class).toBe('bot');
    for (const listener of [clicks, all, bots]) await listener.close();
  });

  test('begins with the hits after its start, also while another stream is open', async () => {
    const other = await Listener.open(app, owner.key);
    await add(hit());
    await until(() => other.events.length === 1);
    // The other stream's next poll is yet to find these.
    await add(...Array.from({ length: 3 }, () => hit()));
    const clicks = await Listener.open(app, owner.key);
    await until(() => other.events.length === 4);
    await add(hit());
    await until(() => other.events.length === 5 && clicks.events.length > 0);
    expect(clicks.ids).toEqual(other.ids.slice(4));
    await clicks.close();
    await other.close();
  });

  test('shows a visit within a second of its response', async () => {
    const { json } = await app.call('GET', `/api/v1/link/${link}`, { key: owner.key });
    const listener = await Listener.open(app, owner.key);
    await app.visit(new URL(json.url).pathname);
    await until(() => listener.events.length === 1, scaledToLoad(1_000));
    expect(listener.events[0]?.data).toMatchObject({ link_id: link, class: 'human' });
    await listener.close();
  });

  test('shows a visit at once after the newest hits were erased, with a single writer', async () => {
    await add(...Array.from({ length: 5 }, () => hit({ at: app.clock.now - 1_000 })));
    const { json } = await app.call('DELETE', '/api/v1/clicks?confirm=true', { key: owner.key });
    const erased = await pollUntil(
      async () => (await app.call('GET', '/api/v1/clicks/corrections', { key: owner.key })).json,
      ({ corrections }) => corrections[0].id === json.id && corrections[0].state === 'done',
      'the hits to be erased',
    );
    expect(erased.corrections[0].hits).toBeGreaterThanOrEqual(5);
    const listener = await Listener.open(app, owner.key);
    const began = performance.now();
    await add(hit());
    await until(() => listener.events.length === 1);
    if (store === 'sqlite') expect(performance.now() - began).toBeLessThan(scaledToLoad(2_000));
    await listener.close();
  });

  test('shows no hits of another organization', async () => {
    const stranger = await app.createAccount();
    const theirs = await Listener.open(app, stranger.key, '?class=all');
    const ours = await Listener.open(app, owner.key);
    await add(hit());
    await until(() => ours.events.length === 1);
    // Later hits have higher ids and are sent after earlier ones.
    await add(hit({ organization: stranger.organizationId }));
    await until(() => theirs.events.length > 0);
    expect(theirs.ids.every((id) => id > (ours.ids[0] ?? 0))).toBe(true);
    expect(theirs.events).toHaveLength(1);
    const past = await Listener.open(app, stranger.key, '?class=all&last_event_id=0');
    await until(() => past.comments.length > 1);
    expect(past.ids).toEqual(theirs.ids);
    for (const listener of [theirs, ours, past]) await listener.close();
  });

  test('continues after interruptions without gaps or repetitions', async () => {
    const total = 800;
    const first = await Listener.open(app, owner.key);
    const receivedIds: number[] = [];
    let listener = first;
    let added = 0;
    const adding = (async () => {
      while (added < total) {
        const count = Math.min(1 + (added % 37), total - added);
        await add(...Array.from({ length: count }, () => hit()));
        added += count;
        // Slow enough for the stream to break many times meanwhile.
        await Bun.sleep(20);
      }
    })();
    let turn = 0;
    for (; added < total; turn++) {
      await until(() => listener.events.length > 20 || added >= total);
      await listener.close();
      receivedIds.push(...listener.ids);
      const last = String(receivedIds.at(-1) ?? 0);
      listener = await (turn % 2 === 0
        ? Listener.open(app, owner.key, '?last_event_id=0', { 'last-event-id': last })
        : Listener.open(app, owner.key, `?last_event_id=${last}`));
    }
    await adding;
    expect(turn).toBeGreaterThan(2);
    // The very last hit: a repeated one would have arrived before it.
    await add(hit());
    await until(() => receivedIds.length + listener.events.length > total);
    await listener.close();
    receivedIds.push(...listener.ids);
    expect(receivedIds).toHaveLength(total + 1);
    expect(new Set(receivedIds).size).toBe(total + 1);
    expect(receivedIds).toEqual(receivedIds.toSorted((one, other) => one - other));
  });

  test('continues at the end after an id that the ledger has not reached, as after a restored backup', async () => {
    await add(hit());
    const listener = await Listener.open(app, owner.key, '?last_event_id=123456789');
    await add(hit());
    await until(() => listener.events.length === 1);
    await listener.close();
  });

  test.skipIf(store === 'sqlite')(
    'shows lower ids that appear later, as from another node, before the higher ones',
    async () => {
      const listener = await Listener.open(app, owner.key);
      await add(hit());
      await until(() => listener.events.length === 1);
      const [id = 0] = listener.ids;
      await add(hit({ id: id + 3 }));
      // Long enough to show that it isn't sent while hits with lower ids may still come.
      await Bun.sleep(700);
      expect(listener.ids).toEqual([id]);
      await add(hit({ id: id + 1 }), hit({ id: id + 2 }));
      await until(() => listener.events.length === 4);
      expect(listener.ids).toEqual([id, id + 1, id + 2, id + 3]);
      await listener.close();
      await catchUpIds(id + 3);
    },
  );

  test.skipIf(store === 'sqlite')(
    'shows a missing lower id even to a client that reconnects before it appears',
    async () => {
      const before = await Listener.open(app, owner.key);
      await add(hit());
      await until(() => before.events.length === 1);
      await before.close();
      const [id = 0] = before.ids;
      // Long enough for the node to stop following the ledger, which nothing shows: later it has to find the gap by itself.
      await Bun.sleep(700);
      await add(hit({ id: id + 2 }));
      const listener = await Listener.open(app, owner.key, `?last_event_id=${id}`);
      // Long enough to show that nothing is sent while the lower id is missing.
      await Bun.sleep(400);
      expect(listener.ids).toEqual([]);
      // A new client gets only what comes after the newest hit seen so far.
      const newListener = await Listener.open(app, owner.key);
      await add(hit({ id: id + 1 }), hit({ id: id + 3 }));
      await until(() => listener.events.length === 3 && newListener.events.length > 0);
      expect(listener.ids).toEqual([id + 1, id + 2, id + 3]);
      expect(newListener.ids).toEqual([id + 3]);
      for (const one of [listener, newListener]) await one.close();
      await catchUpIds(id + 3);
    },
  );

  /** Registers ids that a test assigned itself, which the database doesn't know. */
  async function catchUpIds(upTo: number): Promise<void> {
    await app.app.context.database.write((queries) =>
      sql`update hit_ids set newest = ${upTo}`.execute(queries),
    );
  }

  test('loses and repeats nothing if transactions end in another order than they began', async () => {
    const listener = await Listener.open(app, owner.key);
    const insertInTransactions = async (turn: number) => {
      for (let round = 0; round < 5; round++) {
        const { database } = app.app.context;
        const first = await takeIds(database, 4);
        await database.write(async (queries) => {
          for (let row = 0; row < 4; row++) {
            const id = first === undefined ? {} : { id: first + row };
            await queries
              .insertInto('hits')
              .values({ ...plainRow(), ...id })
              .execute();
            // Keeps each transaction open for a different time. SQLite has one writer, which this would only delay.
            if (store === 'postgres') await Bun.sleep((turn * 37 + row * 11) % 90);
          }
        });
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, turn) => insertInTransactions(turn)));
    await add(hit());
    await until(() => listener.events.length > 160);
    expect(listener.ids).toHaveLength(161);
    expect(listener.ids).toEqual([...new Set(listener.ids)].toSorted((one, other) => one - other));
    await listener.close();
  });

  const plainRow = () =>
    ({
      ...Object.fromEntries(hitColumns.map((column) => [column, 0])),
      link_id: link,
      organization_id: owner.organizationId,
      at: Date.now(),
    }) as Insertable<Schema['hits']>;

  test('names an id after which to continue at the start, and with each keep-alive', async () => {
    const idIn = (comment = '') => Number(/^: (?:Linnet|still here)\nid: (\d+)$/.exec(comment)?.[1]);
    const listener = await Listener.open(app, owner.key, '?class=bot');
    const first = idIn(listener.comments[0]);
    await add(hit());
    await until(() => idIn(listener.comments.at(-1)) > first);
    await listener.close();
    const resumed = await Listener.open(app, owner.key, '', { 'last-event-id': String(first) });
    await until(() => resumed.events.length > 0);
    expect(resumed.events).toHaveLength(1);
    await resumed.close();
  });

  test('ends when its key is deleted', async () => {
    const made = await app.call('POST', '/api/v1/api_key', { key: owner.key, body: { name: 'screen' } });
    const listener = await Listener.open(app, made.json.key);
    expect((await app.call('DELETE', `/api/v1/api_key/${made.json.id}`, { key: owner.key })).status).toBe(
      204,
    );
    await listener.ended;
  });

  test('ends when its key is deleted, even while hits arrive', async () => {
    const made = await app.call('POST', '/api/v1/api_key', { key: owner.key, body: { name: 'screen' } });
    const listener = await Listener.open(app, made.json.key);
    let isEnded = false;
    listener.ended.then(() => {
      isEnded = true;
    });
    await app.call('DELETE', `/api/v1/api_key/${made.json.id}`, { key: owner.key });
    const isOver = async () => {
      await add(hit());
      return isEnded;
    };
    await eventually(isOver, 'the end of the stream');
    const refused = await app.call('GET', '/api/v1/clicks/live', { key: made.json.key });
    expect(refused.status).toBe(401);
  });

  onOneStore(store, () => {
    test('has a limited number of clients, and a client that disconnects makes room', async () => {
      const listeners = await Promise.all(Array.from({ length: 20 }, () => Listener.open(app, owner.key)));
      const refused = await app.call('GET', '/api/v1/clicks/live', { key: owner.key });
      expect([refused.status, refused.json.error_code]).toEqual([429, 'TOO_MANY_STREAMS']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      await listeners[0]?.close();
      const hasRoom = async () =>
        (await app.call('HEAD', '/api/v1/clicks/live', { key: owner.key })).status === 200;
      await eventually(hasRoom, 'room for another');
      listeners.push(await Listener.open(app, owner.key));
      for (const listener of listeners) await listener.close();
    });
    test('answers HEAD without opening a stream', async () => {
      for (let turn = 0; turn < 25; turn++) {
        const { status } = await app.call('HEAD', '/api/v1/clicks/live', { key: owner.key });
        expect(status).toBe(200);
      }
      await (await Listener.open(app, owner.key)).close();
    });

    test.each([['class=unicorn'], ['last_event_id=x'], ['last_event_id=-1']])(
      '%s is refused',
      async (query) => {
        const { status, json } = await app.call('GET', `/api/v1/clicks/live?${query}`, { key: owner.key });
        expect([status, json.error_code]).toEqual([400, 'FIELD_INVALID']);
      },
    );
  });

  test('ends when the node stops, which waits for no stream', async () => {
    const other = await startApp({ store });
    const account = await other.createAccount();
    const listener = await Listener.open(other, account.key);
    const begin = Date.now();
    await other.stop();
    await listener.ended;
    expect(Date.now() - begin).toBeLessThan(scaledToLoad(3_000));
  });
});

test('a stream of chosen links shows only their hits, even after more hits of other links than it reads at once', async () => {
  const app = await startApp();
  const [owner, stranger] = [await app.createAccount(), await app.createAccount()];
  const [{ id: link }, { id: other }] = [await app.createLink(owner), await app.createLink(owner)];
  const hitOf = (id: number): SeedHit => ({ link: id, organization: owner.organizationId, at: Date.now() });
  const add = (...ids: number[]) => insertHits(app.app.context.database, ids.map(hitOf));
  const chosen = await Listener.open(app, owner.key, `?ids=${other}`);
  await add(...Array(450).fill(link), other, link);
  await until(() => chosen.events.length > 0);
  await add(link, other);
  await until(() => chosen.events.length > 1);
  expect(chosen.events.map(({ data }) => data.link_id)).toEqual([other, other]);
  await chosen.close();
  const refused = await app.call('GET', `/api/v1/clicks/live?ids=${other}`, { key: stranger.key });
  expect([refused.status, refused.json.field_key]).toEqual([400, 'ids']);
  expect(app.faults).toEqual([]);
  await app.stop();
});
