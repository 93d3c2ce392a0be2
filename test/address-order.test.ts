import { afterAll, expect, test } from 'bun:test';
import { SQL } from 'bun';
import type { TestResponse } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';

const destination_url = 'https://example.com/order';
let sql: SQL;

const { app, owner, call } = appWithOwner(async () => {
  const url = await migratedPostgres();
  sql = new SQL({ url, max: 2 });
  // A deadlock is not resolved before the calls time out.
  await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} set deadlock_timeout = '1h'`);
  return { env: { DATABASE_URL: url } };
});
afterAll(() => sql.end());

const create = (fields: object) => call('POST', '/link', { destination_url, ...fields });
const createAll = (links: readonly object[]) =>
  call('POST', '/link/bulk', { links: links.map((fields) => ({ destination_url, ...fields })) });
const idOf = async (fields: object): Promise<number> => (await create(fields)).json.id;
/** Of the links of a bulk creation, or of the call that failed. */
const statusesOf = ({ status: whole, json }: TestResponse): number[] =>
  json.results?.map(({ status }: { status: number }) => status) ?? [whole];

async function backendsWaiting(): Promise<number> {
  const [row] = await sql`select count(*) as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return Number(row.waiting);
}

interface Held {
  readonly suffix?: string;
  readonly external_id?: string;
}

const insertLink = (transaction: SQL, { suffix = 'held', external_id }: Held) =>
  transaction`insert into links (domain_id, suffix, organization_id, external_id, created_at, updated_at,
      destination_url, qr_foreground, qr_background, qr_png, bot_protection, captcha, search_text)
    values (0, ${suffix}, ${owner.organizationId}, ${external_id ?? null}, 0, 0,
      '', '', '', 0, 0, 0, ${'\n\n'})`;

/** Both calls run while another transaction holds a suffix or an external id, until both wait; then it releases it. */
async function bothWaitingFor(
  held: Held,
  calls: readonly [() => Promise<TestResponse>, () => Promise<TestResponse>],
): Promise<TestResponse[]> {
  const running: Promise<TestResponse>[] = [];
  const releasing = sql.begin(async (transaction) => {
    await insertLink(transaction, held);
    for (const [index, run] of calls.entries()) {
      running.push(run());
      await eventually(async () => (await backendsWaiting()) > index, `call ${index + 1} to wait`);
    }
    throw new Error('released');
  });
  await expect(releasing).rejects.toThrow('released');
  return Promise.all(running);
}

const sorted = (responses: readonly TestResponse[]) => responses.map(({ status }) => status).toSorted();

test("two creations that have each other's suffix as an alias don't deadlock", async () => {
  const responses = await bothWaitingFor({ suffix: 'each-0' }, [
    () => create({ suffix: 'each-a', aliases: ['each-0', 'each-b'] }),
    () => create({ suffix: 'each-b', aliases: ['each-0', 'each-a'] }),
  ]);
  expect(sorted(responses)).toEqual([201, 409]);
});

test("a bulk creation doesn't deadlock with a link that has its suffixes as aliases", async () => {
  const [bulk, single] = (await bothWaitingFor({ suffix: 'bulk-b' }, [
    () => createAll(['bulk-c', 'bulk-b', 'bulk-a'].map((suffix) => ({ suffix }))),
    () => create({ suffix: 'bulk-c', aliases: ['bulk-a'] }),
  ])) as [TestResponse, TestResponse];
  expect([statusesOf(bulk), single.status]).toEqual([[201, 201, 201], 409]);
});

test('links of one bulk creation take their suffixes and aliases in one order, however many they are', async () => {
  const others = Array.from({ length: 260 }, (_, index) => ({ suffix: `many-b-${index}` }));
  const [one, many] = (await bothWaitingFor({ suffix: 'many-y' }, [
    () => createAll([{ suffix: 'many-a', aliases: ['many-x', 'many-y', 'many-z'] }]),
    () => createAll([{ suffix: 'many-c', aliases: ['many-x'] }, ...others, { suffix: 'many-z' }]),
  ])) as [TestResponse, TestResponse];
  expect([statusesOf(one), statusesOf(many)]).toEqual([[201], [409, ...Array(260).fill(201), 409]]);
});

test("two changes that swap the addresses of links don't deadlock", async () => {
  const [one, two] = [await idOf({ suffix: 'swap-a' }), await idOf({ suffix: 'swap-b' })];
  const responses = await bothWaitingFor({ suffix: 'swap-0' }, [
    () => call('PATCH', `/link/${one}`, { suffix: 'swap-b', add_aliases: ['swap-0'] }),
    () => call('PATCH', `/link/${two}`, { suffix: 'swap-a', add_aliases: ['swap-0'] }),
  ]);
  expect(sorted(responses)).toEqual([409, 409]);
});

test("a change of addresses doesn't deadlock with a creation that has both as well", async () => {
  const id = await idOf({ suffix: 'both-b' });
  const responses = await bothWaitingFor({ suffix: 'both-0' }, [
    () => call('PATCH', `/link/${id}`, { add_aliases: ['both-0', 'both-a'] }),
    () => create({ suffix: 'both-a', aliases: ['both-0', 'both-b'] }),
  ]);
  expect(sorted(responses)).toEqual([200, 409]);
});

test("restorations don't deadlock with creations of the same suffixes", async () => {
  const ids: number[] = [];
  for (const suffix of ['bin-a', 'bin-b', 'bin-c']) {
    ids.push(await idOf({ suffix }));
    app.clock.now += 1_000;
    await call('POST', '/link/bulk_delete', { ids: ids.slice(-1) });
  }
  const [restored, made] = (await bothWaitingFor({ suffix: 'bin-b' }, [
    () => call('POST', '/link/restore', { ids }),
    () => createAll(['bin-a', 'bin-b', 'bin-c'].map((suffix) => ({ suffix }))),
  ])) as [TestResponse, TestResponse];
  expect([restored.json, statusesOf(made)]).toEqual([{ restored: 3, ids }, [409, 409, 409]]);
});

test('a suffix that goes to the next link of a bulk creation, as the first is refused, is taken in that order too', async () => {
  await create({ external_id: 'not-free' });
  const again = [
    { suffix: 'again-a', external_id: 'not-free' },
    { suffix: 'again-a' },
    { suffix: 'again-b' },
  ];
  const [one, two] = (await bothWaitingFor({ suffix: 'again-b' }, [
    () => createAll(again),
    () => createAll([{ suffix: 'again-a' }, { suffix: 'again-b' }]),
  ])) as [TestResponse, TestResponse];
  expect([statusesOf(one), statusesOf(two)]).toEqual([
    [409, 201, 201],
    [409, 409],
  ]);
});

test('a restored link has no external id that a creation took while the restoration waited for it', async () => {
  const id = await idOf({ external_id: 'waited-for' });
  await call('POST', '/link/bulk_delete', { ids: [id] });
  const restoring = await sql.begin(async (transaction) => {
    await insertLink(transaction, { suffix: 'committed', external_id: 'waited-for' });
    const running = call('POST', '/link/restore', { ids: [id] });
    await eventually(async () => (await backendsWaiting()) > 0, 'the restoration to wait');
    return { running };
  });
  expect((await restoring.running).json).toEqual({ restored: 1, ids: [id] });
  expect((await app.call('GET', `/api/v1/link/${id}`, { key: owner.key })).json.external_id).toBe(null);
});

test("bulk creations of the same external ids in opposite order don't deadlock", async () => {
  const links = ['a', 'b', 'c'].map((external_id) => ({ external_id }));
  const [one, two] = (await bothWaitingFor({ external_id: 'b' }, [
    () => createAll(links),
    () => createAll(links.toReversed()),
  ])) as [TestResponse, TestResponse];
  expect([...statusesOf(one), ...statusesOf(two)]).toEqual([201, 201, 201, 409, 409, 409]);
});
