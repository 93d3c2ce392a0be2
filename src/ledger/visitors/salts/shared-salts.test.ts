import { afterEach, beforeEach, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../../../test/support/eventually.ts';
import { migratedPostgres } from '../../../../test/support/migrated-store.ts';
import { temporaryFolder } from '../../../../test/support/program.ts';
import { StoreUnavailable } from '../../../rules/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { openDatabase } from '../../../storage/open.ts';
import { PostgresFoldStore } from '../../stores/postgres-fold-store.ts';
import { answerSaltRequests } from './answer-salt-requests.ts';
import { SaltFolder } from './salt-folder.ts';
import { newRequest, type SaltRequest } from './salt-seal.ts';
import { type SaltExchange, SharedSalts } from './shared-salts.ts';

const key = 'the key of the instance';
const day = 20_000;
const longTimeout = 120_000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let database: Database;
let url: string;
let stores: PostgresFoldStore[];
let nodesAlone: string[];
const answeringNodes: { stop: () => Promise<void> }[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  url = await migratedPostgres();
  database = await openDatabase(url, folder.path, () => {});
  stores = [];
  nodesAlone = [];
});
afterEach(async () => {
  for (const node of answeringNodes.splice(0)) await node.stop();
  for (const store of stores) await store.close();
  await database.close();
  await folder[Symbol.asyncDispose]();
});

/** A new exchange: each is used by one node at a time. */
function freshExchange(): SaltExchange {
  const store = new PostgresFoldStore(url);
  stores.push(store);
  return store.saltExchange;
}

const folderOf = (name: string) => new SaltFolder(join(folder.path, name));

/** The fold of one node. */
const nodeOf = (name: string, { exchange = freshExchange(), timeout = longTimeout } = {}) =>
  new SharedSalts({ folder: folderOf(name), exchange, key, timeout, onAlone: () => nodesAlone.push(name) });

const settle = async (node: SharedSalts, signal?: AbortSignal): Promise<string> =>
  Buffer.from(await node.settle(day, randomBytes(32), signal)).toString('hex');

/** Answers salt requests, as a node's main thread does. */
function answerRequests(name: string): void {
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      await answerSaltRequests(database, folderOf(name), key);
      // The interval at which these nodes look for requests.
      await Bun.sleep(10);
    }
  })();
  answeringNodes.push({
    stop() {
      isStopped = true;
      return running;
    },
  });
}

const requests = () => database.read.selectFrom('visitor_salt_requests').selectAll().execute();

test('nodes that begin a day at once share one salt, and keep it across restarts of all of them', async () => {
  for (const name of ['a', 'b', 'c']) answerRequests(name);
  const all = await Promise.all(['a', 'b', 'c'].map((name) => settle(nodeOf(name))));
  expect(new Set(all).size).toBe(1);
  for (const { stop } of answeringNodes.splice(0)) await stop();
  const later = await Promise.all(['a', 'b', 'c'].map((name) => settle(nodeOf(name))));
  expect(later).toEqual(all);
  expect(nodesAlone).toEqual([]);
  expect(await requests()).toEqual([]);
  for (const name of ['a', 'b', 'c']) expect(readdirSync(join(folder.path, name))).toEqual([String(day)]);
  await nodeOf('a').forgetBefore(day + 1);
  expect(await database.read.selectFrom('visitor_salt_marks').selectAll().execute()).toEqual([]);
  expect(readdirSync(join(folder.path, 'a'))).toEqual([]);
});

/** The exchange of a process that is killed at one of its steps: from then on it sends nothing to the database. */
function killedExchange(killedAt: number): SaltExchange {
  let steps = 0;
  const saltExchange = freshExchange();
  const step = <Arguments extends unknown[], T>(call: (...values: Arguments) => Promise<T>) => {
    return async (...values: Arguments): Promise<T> => {
      if (steps++ >= killedAt) throw new StoreUnavailable('killed');
      const result = await call(...values);
      if (steps++ >= killedAt) throw new StoreUnavailable('killed');
      return result;
    };
  };
  return {
    claim: step(saltExchange.claim),
    replaceClaim: step(saltExchange.replaceClaim),
    ask: step(saltExchange.ask),
    answer: step(saltExchange.answer),
    withdraw: step(saltExchange.withdraw),
    forgetBefore: step(saltExchange.forgetBefore),
  };
}

test.each([0, 1])(
  'if the creator of a salt is killed at step %i of its claim, it has the claimed salt afterwards',
  async (killedAt) => {
    const killed = settle(nodeOf('a', { exchange: killedExchange(killedAt) }));
    await expect(killed).rejects.toThrow('killed');
    await killed.catch(() => {});
    const other = settle(nodeOf('b'));
    const again = settle(nodeOf('a'));
    for (const name of ['a', 'b']) answerRequests(name);
    expect(await again).toBe(await other);
    expect(nodesAlone).toEqual([]);
  },
);

test.each([2, 3, 4, 5])(
  'a node that is killed at step %i of its request sends it again',
  async (killedAt) => {
    const salt = await settle(nodeOf('a'));
    answerRequests('a');
    await settle(nodeOf('b', { exchange: killedExchange(killedAt) })).catch(() => {});
    expect(await settle(nodeOf('b'))).toBe(salt);
    expect(nodesAlone).toEqual([]);
  },
);

test('a node that gets no answer uses its own salt, reports it, and gives it to the next node', async () => {
  await settle(nodeOf('stopped'));
  rmSync(join(folder.path, 'stopped'), { recursive: true });
  const ownSalt = await settle(nodeOf('b', { timeout: 500 }));
  expect(nodesAlone).toEqual(['b']);
  answerRequests('b');
  expect(await settle(nodeOf('c'))).toBe(ownSalt);
  expect(nodesAlone).toEqual(['b']);
});

test('two workers of one folder that get no answer share one salt', async () => {
  await settle(nodeOf('stopped'));
  const both = [nodeOf('b', { timeout: 400 }), nodeOf('b', { timeout: 700 })];
  const [one, other] = await Promise.all(both.map((node) => settle(node)));
  expect(one).toBe(other ?? '');
});

test('a stop ends the wait for an answer', async () => {
  await settle(nodeOf('stopped'));
  const controller = new AbortController();
  const waiting = settle(nodeOf('b'), controller.signal);
  waiting.catch(() => {});
  await eventually(async () => (await requests()).length === 1, 'the request');
  controller.abort();
  await expect(waiting).rejects.toThrow(StoreUnavailable);
  await waiting.catch(() => {});
});

test('the database alone neither requests nor provides salts', async () => {
  const salt = await settle(nodeOf('a'));
  const forged: SaltRequest = newRequest('another key', day);
  await freshExchange().ask(forged);
  await answerSaltRequests(database, folderOf('a'), key);
  // It isn't one of our requests, so it was deleted.
  expect(await requests()).toEqual([]);

  // A mark that isn't ours is replaced, without waiting for another node.
  await database.write((queries) =>
    queries.updateTable('visitor_salt_marks').set({ mark: 'x', proof: 'y' }).execute(),
  );
  const start = performance.now();
  const ownSalt = await settle(nodeOf('b'));
  expect(ownSalt).not.toBe(salt);
  expect(performance.now() - start).toBeLessThan(longTimeout);

  // An answer that isn't sealed with our key is ignored.
  const settling = settle(nodeOf('c', { timeout: 500 }));
  await eventually(async () => (await requests()).length === 1, 'the request');
  await database.write((queries) =>
    queries
      .updateTable('visitor_salt_requests')
      .set({ answer: 'A'.repeat(123) })
      .execute(),
  );
  expect(await settling).not.toBe(ownSalt);
  expect(nodesAlone).toEqual(['c']);
});
