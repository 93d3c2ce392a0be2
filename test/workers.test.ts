import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { journalsIn, watermarkKey } from '../src/journal/files.ts';
import { fetchInTime, firstAccount } from './support/account.ts';
import { firefoxOf } from './support/agents-of-people.ts';
import { storeKinds } from './support/app.ts';
import { hitCounter } from './support/counted-hits.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { metricValues } from './support/metric-values.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { childrenOf } from './support/processes.ts';
import { type Program, runServer, stop } from './support/program.ts';
import { exchange } from './support/raw-http.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

/** The journals in which a process has files open. */
function journalsOf(pid: number, dataDir: string): string[] {
  const folder = `/proc/${pid}/fd`;
  const files = readdirSync(folder).map((file) => {
    try {
      return readlinkSync(join(folder, file));
    } catch {
      // Closed in the meantime.
      return '';
    }
  });
  const isHeld = (journal: string) => files.some((file) => file.includes(`/journal/${journal}/`));
  return journalsIn(dataDir).map(watermarkKey).filter(isHeld);
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const until = (check: () => boolean | Promise<boolean>, what: string) =>
  eventually(check, what, scaledToLoad(60_000));

async function call(url: string, key: string, method: string, path: string, body?: object) {
  const response = await fetchInTime(url + path, {
    method,
    headers: { 'api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text || '{}') as { id: number; suffix: string };
}

/** Sends a visit on a connection of its own, which the system assigns to any of the workers. */
async function visit(url: string, path: string, agent = firefoxOf(140)): Promise<string> {
  const bytes = `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nUser-Agent: ${agent}\r\n\r\n`;
  const [response] = await exchange(url, bytes, { responses: 1 });
  return response?.headers.location ?? String(response?.status ?? 'nothing');
}

/** The different answers to forty simultaneous visits, some of which reach one worker, and some the other. */
const responsesOf = async (url: string, path: string): Promise<string> =>
  [...new Set(await Promise.all(Array.from({ length: 40 }, () => visit(url, path))))].join(' or ');

describe.each(storeKinds)('two workers on %s', (store) => {
  test('respond on one port, apply changes within a second, and are restarted when killed, with all their clicks', async () => {
    await using folder = await storeFolder();
    const DATABASE_URL = store === 'postgres' ? await migratedPostgres() : '';
    const program = runServer({
      PORT: '0',
      WORKERS: '2',
      DATA_DIR: folder.path,
      DATABASE_URL,
      JOURNAL_KEEP_MINUTES: '0',
      MISS_LIMIT: '0',
    });
    try {
      const url = await program.address();
      expect(program.output().out.match(/listens on/g)).toHaveLength(1);
      const workers = childrenOf(program.pid);
      expect(workers).toHaveLength(2);
      const { key } = await firstAccount(url);
      const link = await call(url, key, 'POST', '/api/v1/link', { destination_url: 'https://example.com/1' });
      const path = `/${link.suffix}`;
      const visitManyTimes = () => Promise.all(Array.from({ length: 40 }, () => visit(url, path)));
      expect(new Set(await visitManyTimes())).toEqual(new Set(['https://example.com/1']));
      const measured = async () => metricValues(await (await fetch(`${url}/metrics`)).text());
      const redirects = 'linnet_visits_total{outcome="redirect"}';
      // Either worker reports the visits that both have counted.
      for (let time = 0; time < 6; time++)
        expect(await measured()).toMatchObject({ [redirects]: 40, linnet_workers_serving: 2 });

      await call(url, key, 'PATCH', `/api/v1/link/${link.id}`, { destination_url: 'https://example.com/2' });
      let sent = 80;
      const isApplied = async () => {
        sent += 40;
        return (await responsesOf(url, path)) === 'https://example.com/2';
      };
      await eventually(isApplied, 'both workers to apply the change', scaledToLoad(1_000));
      expect(new Set(await visitManyTimes())).toEqual(new Set(['https://example.com/2']));

      let answered = 80;
      const otherResponses = new Set(['nothing']);
      let isOver = false;
      const visitors = Array.from({ length: 8 }, async (_, index) => {
        while (!isOver) {
          // Limits the number of clicks, as folding an unlimited number would take longer than everything else here.
          await Bun.sleep(20);
          sent++;
          const response = await visit(url, path, firefoxOf(200 + index)).catch(() => 'nothing');
          if (response.startsWith('https:')) answered++;
          // A connection to a killed worker may break, but no worker answers before it is ready.
          else otherResponses.add(response);
        }
      });
      const killedJournals: string[] = [];
      // Which of them is killed makes no difference to the database.
      for (const killed of store === 'sqlite' ? workers : workers.slice(0, 1)) {
        const before = answered;
        await until(() => answered > before + 20, 'visits');
        // On a busy machine a worker may count with its last values for a while.
        const counted = await pollUntil(
          async () => (await measured())[redirects] ?? 0,
          (count) => count >= before,
          'the visits to be counted',
        );
        killedJournals.push(...journalsOf(killed, folder.path));
        process.kill(killed, 'SIGKILL');
        await until(() => !childrenOf(program.pid).includes(killed), 'the end of the worker');
        await until(() => childrenOf(program.pid).length === 2, 'another worker');
        const afterRestart = answered;
        await until(() => answered > afterRestart + 20, 'visits afterwards');
        expect((await measured())[redirects]).toBeGreaterThanOrEqual(counted);
      }
      isOver = true;
      await Promise.all(visitors);
      expect([...otherResponses]).toEqual(['nothing']);
      const counter = hitCounter(folder.path, DATABASE_URL);
      await until(async () => (await counter.of(link.id)).ledger >= answered, 'every answered click');
      const counts = await counter.of(link.id);
      expect(counts.ledger).toBeLessThanOrEqual(sent);
      expect(counts.linkTotal).toBe(counts.ledger);
      await counter.close();
      expect(program.output().err).toContain('worker ended');
      // A replacement may begin only now to fold the journal of its killed predecessor; a stop would leave that to the next start.
      const isOfKilled = (name: string) => killedJournals.includes(name);
      await until(
        () => !journalsIn(folder.path).map(watermarkKey).some(isOfKilled),
        'the journals of the killed workers to be folded',
      );
      await stop(program);
      // A stop folds for a few seconds at most; what is left on a busy machine is folded by the next start.
      if (journalsIn(folder.path).length > 0) {
        const next = runServer({ PORT: '0', DATA_DIR: folder.path, DATABASE_URL, JOURNAL_KEEP_MINUTES: '0' });
        await next.address();
        await until(() => journalsIn(folder.path).length === 0, 'the remaining journals to be folded');
        await stop(next);
      }
      const last = hitCounter(folder.path, DATABASE_URL);
      const lastCounts = await last.of(link.id);
      expect(lastCounts.ledger).toBeGreaterThanOrEqual(answered);
      expect(lastCounts.linkTotal).toBe(lastCounts.ledger);
      await last.close();
    } finally {
      program.kill('SIGKILL');
    }
  }, 240_000);
});

test('a problem that prevents the start is reported once', async () => {
  await using folder = await storeFolder();
  const DATABASE_URL = 'postgres://nobody@127.0.0.1:9/none';
  const program = runServer({ PORT: '0', WORKERS: '2', DATA_DIR: folder.path, DATABASE_URL });
  expect(await program.exited).toBe(1);
  expect(program.output().err.match(/can not be/g)).toHaveLength(1);
});

describe('two workers', () => {
  let folder: Awaited<ReturnType<typeof storeFolder>>;
  let program: Program;
  let url: string;
  beforeAll(async () => {
    folder = await storeFolder();
    program = runServer({ PORT: '0', WORKERS: '2', DATA_DIR: folder.path, MISS_LIMIT: '0' });
    url = await program.address();
  });
  afterAll(async () => {
    program.kill('SIGKILL');
    await folder[Symbol.asyncDispose]();
  });

  test('are refused a port that another program shares', async () => {
    await using another = await storeFolder();
    const { port: PORT } = new URL(url);
    const second = runServer({ PORT, WORKERS: '2', DATA_DIR: another.path });
    expect(await second.exited).toBe(1);
    expect(second.output().err).toContain(`Port ${PORT} on 127.0.0.1 is taken.`);
  });

  test('write a journal each, and both apply the creation, change and deletion of a link within a second', async () => {
    const eventuallyResponds = (path: string, expected: string) =>
      eventually(
        async () => (await responsesOf(url, path)) === expected,
        `all visitors to get ${expected}`,
        scaledToLoad(1_000),
      );
    const { key } = await firstAccount(url);
    const path = '/of-both';
    // Both workers have now cached that it does not exist.
    expect(await responsesOf(url, path)).toBe('404');
    const destination = (name: string) => ({ destination_url: `https://example.com/${name}` });
    const created = await call(url, key, 'POST', '/api/v1/link', {
      suffix: 'of-both',
      ...destination('made'),
    });
    await eventuallyResponds(path, 'https://example.com/made');
    await call(url, key, 'PATCH', `/api/v1/link/${created.id}`, destination('changed'));
    await eventuallyResponds(path, 'https://example.com/changed');
    const heldJournals = () => childrenOf(program.pid).map((pid) => journalsOf(pid, folder.path));
    // At its start each worker looks for journals of ended workers, and releases those that the other worker uses.
    await until(() => heldJournals().every(({ length }) => length === 1), 'a journal for each');
    expect(new Set(heldJournals().flat()).size).toBe(2);
    await call(url, key, 'DELETE', `/api/v1/link/${created.id}`);
    await eventuallyResponds(path, '404');
  });

  test('end when their parent process ends, even by SIGKILL', async () => {
    const workers = childrenOf(program.pid);
    expect(workers).toHaveLength(2);
    program.kill('SIGKILL');
    await program.exited;
    await until(() => !workers.some(isAlive), 'the end of the workers');
  });
});
