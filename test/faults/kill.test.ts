import { expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { journalsIn } from '../../src/journal/files.ts';
import { firstAccount, postTo } from '../support/account.ts';
import { firefox } from '../support/agents-of-people.ts';
import { type StoreKind, storeKinds } from '../support/app.ts';
import { type HitCounter, hitCounter } from '../support/counted-hits.ts';
import { eventually } from '../support/eventually.ts';
import { printFigure } from '../support/figure.ts';
import { migratedPostgres, storeFolder } from '../support/migrated-store.ts';
import { type Program, runServer } from '../support/program.ts';

/** `npm run test:faults` sets more. On PostgreSQL, `kill-nodes.test.ts` tests several nodes. */
const isShort = process.env.ROUNDS === undefined;
const rounds = Number(process.env.ROUNDS ?? 3);
const roundsOn = { sqlite: rounds, postgres: isShort ? 2 : Math.min(4, rounds) };
/** Milliseconds of load before a kill. */
const maxLoadTime = isShort ? 130 : 250;
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const visitors = 24;

/** A seeded random generator, so that a failure can be repeated. */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface VisitCounts {
  sent: number;
  answered: number;
  refused: number;
}

/**
 * Visits without a pause until the server is killed: enough that the unfolded hits often exceed one pack.
 * Every visit is by a different visitor, so that a hit that is counted twice is noticed.
 */
function visitUntilKilled(url: string, count: VisitCounts): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const { promise: closed, resolve: resolveClosed } = Promise.withResolvers<void>();
  const visit = (socket: Socket) => {
    const agent = `${firefox} n${++count.sent}`;
    socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nuser-agent: ${agent}\r\n\r\n`);
  };
  let response = '';
  Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: visit,
      data(socket, bytes) {
        response += bytes.toString('latin1');
        if (!response.includes('\r\n\r\n')) return;
        if (response.startsWith('HTTP/1.1 302 ')) count.answered += 1;
        else count.refused += 1;
        response = '';
        visit(socket);
      },
      close: () => resolveClosed(),
      error: () => resolveClosed(),
    },
  }).catch(() => resolveClosed());
  return closed;
}

async function createLinks(url: string, count: number): Promise<{ id: number; suffix: string }[]> {
  const { authorization } = await firstAccount(url);
  const links: { id: number; suffix: string }[] = [];
  for (let made = 0; made < count; made++) {
    const destination_url = `https://example.com/${made}`;
    links.push(await postTo(url)('/api/v1/link', { destination_url }, { authorization }));
  }
  return links;
}

/** Waits until the journals of earlier processes are folded and deleted. */
async function untilFolded(dataDir: string): Promise<void> {
  const isFolded = () => journalsIn(dataDir).length === 0;
  await eventually(isFolded, 'the journal of the killed process to be folded', 120_000);
}

async function kill(program: Program): Promise<void> {
  program.kill('SIGKILL');
  await program.exited;
}

async function killRepeatedly(store: StoreKind, random: () => number): Promise<void> {
  const databaseUrl = store === 'postgres' ? await migratedPostgres() : '';
  await using folder = await storeFolder();
  const dataDir = folder.path;
  const start = () =>
    runServer({
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      MISS_LIMIT: '0',
      JOURNAL_KEEP_MINUTES: '0',
    });
  const kills = roundsOn[store];
  let program = start();
  let counter: HitCounter | undefined;
  let counted = 0;
  let answered = 0;
  try {
    const links = await createLinks(await program.address(), kills);
    counter = hitCounter(dataDir, databaseUrl);
    for (const { id, suffix } of links) {
      const count: VisitCounts = { sent: 0, answered: 0, refused: 0 };
      const url = `${await program.address()}/${suffix}`;
      const load = Promise.all(Array.from({ length: visitors }, () => visitUntilKilled(url, count)));
      // Kills it at a random moment of the load; in the short form, which has few kills, only after its first answer.
      if (isShort) await eventually(() => count.answered > 0, 'the first answer');
      await Bun.sleep(10 + random() * (maxLoadTime - 10));
      await kill(program);
      await load;
      program = start();
      if (random() < 0.25) {
        // Sometimes also kills it in the middle of the recovery.
        await program.address();
        await Bun.sleep(random() * 60);
        await kill(program);
        program = start();
      }
      await program.address();
      await untilFolded(dataDir);
      const found = await counter.of(id);
      counted += found.ledger;
      answered += count.answered;
      expect(count.refused).toBe(0);
      expect(found.ledger).toBeGreaterThanOrEqual(count.answered);
      expect(found.ledger).toBeLessThanOrEqual(count.sent);
      expect(found).toEqual({
        ledger: found.ledger,
        distinctVisitors: found.ledger,
        linkTotal: found.ledger,
        organizationTotal: counted,
        clicks: found.ledger,
      });
    }
    expect(counted).toBeGreaterThan(kills);
    printFigure(`kill -9 on ${store}: ${kills} times, ${answered} visits answered, none lost or doubled`);
  } catch (cause) {
    process.stderr.write(`seed ${seed}, ${store}\n${program.output().err}\n`);
    throw cause;
  } finally {
    await counter?.close();
    await kill(program);
  }
}

for (const [index, store] of storeKinds.entries()) {
  test(
    `killed at any moment under load, nothing acknowledged is missing or doubled, on ${store}`,
    () => killRepeatedly(store, randomOf(seed + index)),
    Math.max(240_000, rounds * 5_000),
  );
}
