import { expect, test } from 'bun:test';
import type { Socket } from 'bun';
import { createFirstLink } from '../support/account.ts';
import { eventually } from '../support/eventually.ts';
import { printFigure } from '../support/figure.ts';
import { storeFolder } from '../support/migrated-store.ts';
import { childrenOf, listenersOn } from '../support/processes.ts';
import { runServer, stop } from '../support/program.ts';

/** `npm run test:faults` kills more often. */
const isShort = process.env.ROUNDS === undefined;
const kills = isShort ? 2 : Number(process.env.ROUNDS);
const visitors = 12;
const workers = isShort ? 2 : 3;
/** The number of visits before and after each kill. */
const visitsPerKill = isShort ? 150 : 300;
/** After this many requests a visitor reconnects, and the kernel may hand the connection to another worker. */
const requestsPerConnection = 4;

interface Seen {
  readonly statuses: Map<number, number>;
  /** Connections that broke in the middle: they belonged to a killed worker. */
  cut: number;
  /** Connections that failed while they were being opened: the kernel had assigned them to the killed worker. */
  lost: number;
  /** Visitors whose second attempt was refused, too. */
  refused: number;
}

/** Milliseconds between a visitor's requests: the restarts, not the load, should use the CPU. */
const pause = 5;

/** Visits until `isOver`, over one connection after another. */
async function visit(url: string, seen: Seen, isOver: () => boolean): Promise<void> {
  let isSecondTry = false;
  while (!isOver()) {
    const isOpened = await visitOnOneConnection(new URL(url), seen, isOver);
    if (!isOpened && isSecondTry) seen.refused += 1;
    else if (!isOpened) seen.lost += 1;
    isSecondTry = !isOpened;
  }
}

/** False if the connection couldn't be opened. */
function visitOnOneConnection({ hostname, port, pathname }: URL, seen: Seen, isOver: () => boolean) {
  const { promise: ended, resolve } = Promise.withResolvers<boolean>();
  let sent = 0;
  let response = '';
  let isDone = false;
  const sendRequest = (socket: Socket) => {
    isDone = isOver() || sent++ === requestsPerConnection;
    if (isDone) socket.end();
    else
      socket.write(
        `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nuser-agent: Firefox/140.0\r\n\r\n`,
      );
  };
  Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: sendRequest,
      data(socket, bytes) {
        response += bytes.toString('latin1');
        if (!response.includes('\r\n\r\n')) return;
        const status = Number(response.slice('HTTP/1.1 '.length).slice(0, 3));
        seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1);
        response = '';
        // Any other answer has a body, which isn't parsed, so the connection is dropped.
        if (status === 302) setTimeout(sendRequest, pause, socket);
        else {
          isDone = true;
          socket.terminate();
        }
      },
      close() {
        if (!isDone) seen.cut += 1;
        resolve(true);
      },
      error() {},
    },
  }).catch(() => resolve(false));
  return ended;
}

test(`${kills} kills of one worker while others serve: no client finds the service unavailable`, async () => {
  await using folder = await storeFolder();
  const settings = { PORT: '0', WORKERS: String(workers), DATA_DIR: folder.path, MISS_LIMIT: '0' };
  const program = runServer(settings);
  const seen: Seen = { statuses: new Map(), cut: 0, lost: 0, refused: 0 };
  let isOver = false;
  try {
    const url = await program.address();
    const port = Number(new URL(url).port);
    const link = `${url}/${(await createFirstLink(url)).suffix}`;
    const visiting = Array.from({ length: visitors }, () => visit(link, seen, () => isOver));
    const answered = () => [...seen.statuses.values()].reduce((sum, count) => sum + count, 0);
    const moreVisits = async (count: number) => {
      const before = answered();
      await eventually(() => answered() > before + count, 'visits');
    };
    for (let killed = 0; killed < kills; killed++) {
      await eventually(() => listenersOn(port) === workers, 'all workers to serve');
      await moreVisits(visitsPerKill);
      const victim = childrenOf(program.pid)[killed % workers] as number;
      process.kill(victim, 'SIGKILL');
      await eventually(() => !childrenOf(program.pid).includes(victim), 'the end of the worker');
      await moreVisits(visitsPerKill);
    }
    isOver = true;
    await Promise.all(visiting);
    printFigure(
      `${answered()} visits, ${kills} kills: ${seen.cut} connections cut, ${seen.lost} while they were opened, ${seen.refused} refused`,
    );
    expect([...seen.statuses.keys()]).toEqual([302]);
    expect(seen.refused).toBe(0);
    await stop(program);
  } finally {
    program.kill('SIGKILL');
  }
}, 3_600_000);
