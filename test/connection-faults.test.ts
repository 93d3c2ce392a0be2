import { afterEach, beforeEach, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { AppServer } from '../src/http/app-server.ts';
import { ClientByPort } from '../src/http/client-by-port.ts';
import type { FastPath } from '../src/visit/connection/connection.ts';
import { Listener } from '../src/visit/connection/listener.ts';
import { openPort, type VisitorSocket } from '../src/visit/connection/port.ts';
import { noProxies, wideLimits } from './support/both-paths.ts';
import { eventually } from './support/eventually.ts';

/** The victim connects from this address, all others from another one. */
const victimAddress = '127.0.0.66';

/** The method that throws for the victim from now on. */
type Broken = keyof VisitorSocket | 'set' | 'delete' | null;
let broken: Broken = null;
const faults: unknown[] = [];

function throwIfBroken(what: Broken, address: string): void {
  if (what === broken && address === victimAddress) throw new Error(`broken on purpose: ${what}`);
}

const breakableSocket = (socket: VisitorSocket): VisitorSocket => {
  const address = socket.remoteAddress;
  const check = (what: keyof VisitorSocket) => throwIfBroken(what, address);
  return {
    get remoteAddress() {
      check('remoteAddress');
      return address;
    },
    write: (bytes) => {
      check('write');
      return socket.write(bytes);
    },
    shutdown: () => {
      check('shutdown');
      socket.shutdown();
    },
    end: () => socket.end(),
    pause: () => {
      check('pause');
      socket.pause();
    },
    resume: () => {
      check('resume');
      socket.resume();
    },
    terminate: () => {
      socket.terminate();
      check('terminate');
    },
  };
};

class BreakableClientByPort extends ClientByPort {
  readonly #addresses = new Map<number, string>();

  override set(port: number, address: string): void {
    throwIfBroken('set', address);
    this.#addresses.set(port, address);
    super.set(port, address);
  }

  override delete(port: number): void {
    super.delete(port);
    throwIfBroken('delete', this.#addresses.get(port) ?? '');
  }
}

const page = 'x'.repeat(10_000);
let lookups = 0;
const fastPath: FastPath = ({ path }) => {
  const response = (body: string, waits: boolean) => ({
    head: `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n`,
    body,
    waits,
  });
  if (path === '/page') return response(page, false);
  if (path === '/waits') return response('', true);
  if (path === '/throws') throw new Error('broken on purpose: the fast path');
  if (path === '/looked-up') {
    lookups += 1;
    // A lookup that takes a while, as from a database.
    if (lookups === 1) return Bun.sleep(1);
    throw new Error('broken on purpose: looked up');
  }
  if (path === '/away') return Bun.sleep(5).then(() => Promise.reject(new Error('away')));
  return null;
};

const open = (idleTime?: number) => {
  const clientByPort = new BreakableClientByPort();
  const appServer = new AppServer(clientByPort, (cause) => faults.push(cause));
  const listener = new Listener(
    { port: 0, host: '127.0.0.1', workers: 1, trustedProxies: noProxies },
    { port: appServer.port, clientByPort },
    wideLimits,
    (cause) => faults.push(cause),
    {
      open: (place, receiver) =>
        openPort(place, { ...receiver, opened: (socket) => receiver.opened(breakableSocket(socket)) }),
      ...(idleTime !== undefined && { idleTime }),
    },
  );
  appServer.open(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/sync-throw') throw new Error('broken on purpose: handler');
    // Long enough for the victim's connection to fail meanwhile.
    if (pathname === '/slow') await Bun.sleep(300);
    if (pathname === '/late') await Bun.sleep(20);
    if (pathname === '/read') return new Response(`read ${(await request.bytes()).length}`);
    if (pathname === '/hangs-up')
      return new Response(
        new ReadableStream({
          pull(controller) {
            controller.error(new Error('broken on purpose: a stream'));
          },
        }),
      );
    return new Response('behind');
  });
  listener.open(fastPath);
  return { port: listener.port, appServer, listener };
};

/** A new server for each test, as faults are reported only once a second. */
let server: ReturnType<typeof open>;
beforeEach(() => {
  broken = null;
  faults.length = 0;
  lookups = 0;
  server = open();
});
afterEach(async () => {
  broken = null;
  await server.listener.stopAccepting(1_000);
  await server.appServer.stop(1_000);
  await server.listener.endConnections();
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

interface Client {
  readonly socket: Socket;
  readonly received: () => string;
  readonly isOver: () => boolean;
}

async function dial(port: number, from = '127.0.0.1'): Promise<Client> {
  let text = '';
  let isOver = false;
  const socket = connect({ host: '127.0.0.1', port, localAddress: from, allowHalfOpen: true });
  socket.on('error', () => {});
  socket.on('end', () => {
    isOver = true;
  });
  socket.on('close', () => {
    isOver = true;
  });
  socket.on('data', (part) => {
    text += part.toString('latin1');
  });
  await new Promise((connected) => socket.once('connect', connected));
  return { socket, received: () => text, isOver: () => isOver };
}

const responsesIn = (text: string): number => text.match(/HTTP\/1\.1 200/g)?.length ?? 0;

/** Connections that request every path again and again, until they are stopped. */
async function otherConnections(port: number): Promise<{ stop: () => Promise<void>; rounds: () => number }> {
  const clients = await Promise.all(Array.from({ length: 6 }, () => dial(port)));
  let isStopping = false;
  let rounds = 0;
  const running = clients.map(async ({ socket, received, isOver }) => {
    for (let round = 1; !isStopping; round++) {
      socket.write(get('/page') + get('/waits') + get('/late') + get('/waits'));
      await eventually(() => isOver() || responsesIn(received()) === round * 4, 'an answer');
      expect([isOver(), responsesIn(received())]).toEqual([false, round * 4]);
      rounds += 1;
    }
    socket.destroy();
  });
  return {
    rounds: () => rounds,
    stop: async () => {
      isStopping = true;
      await Promise.all(running);
    },
  };
}

interface Entry {
  readonly when: string;
  readonly sent?: string;
  readonly breaks: Broken;
  /** Triggers the fault, once what was sent is answered. */
  readonly act?: (victim: Client) => unknown;
}

const large = `POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 4000000\r\n\r\n${'x'.repeat(4_000_000)}`;
const entries: readonly Entry[] = [
  { when: 'bytes arrive', sent: get('/throws'), breaks: null },
  {
    when: 'bytes arrive after other requests',
    sent: get('/page') + get('/waits') + get('/throws'),
    breaks: null,
  },
  { when: 'a promise is fulfilled', sent: get('/looked-up'), breaks: null },
  { when: 'a promise is rejected', sent: get('/page') + get('/away'), breaks: 'write' },
  { when: 'a tick ends', sent: get('/waits'), breaks: 'write' },
  { when: 'the send buffer has room again', breaks: null, act: drainLate },
  {
    when: 'the visitor half-closes',
    sent: get('/page'),
    breaks: 'shutdown',
    act: ({ socket }) => socket.end(),
  },
  {
    when: 'the visitor has disconnected',
    sent: get('/behind'),
    breaks: 'delete',
    act: ({ socket }) => socket.destroy(),
  },
  { when: 'the app server is connected', sent: get('/behind'), breaks: 'set' },
  { when: 'the app server answers', sent: get('/behind'), breaks: 'write' },
  { when: 'the app server aborts its response', sent: get('/hangs-up'), breaks: 'shutdown' },
  { when: 'the app server has room for more', sent: large, breaks: 'resume' },
  { when: 'reading from the visitor is paused', sent: large, breaks: 'pause' },
];

async function drainLate({ socket, received }: Client): Promise<void> {
  broken = null;
  socket.pause();
  socket.write(get('/page').repeat(2_000));
  // Nothing reports when the system's buffers are full; this is ample time for it.
  await Bun.sleep(200);
  broken = 'write';
  socket.resume();
  await eventually(() => received() !== '', 'something to be read');
}

test.each(entries)(
  'an exception when $when only ends that connection',
  async ({ sent, breaks, act }) => {
    const running = await otherConnections(server.port);
    const victim = await dial(server.port, victimAddress);
    if (act === undefined) broken = breaks;
    if (sent !== undefined) victim.socket.write(sent);
    if (act !== undefined) {
      if (sent !== undefined) await eventually(() => victim.received() !== '', 'the first answer');
      broken = breaks;
      await act(victim);
    }
    await eventually(() => faults.length > 0 && victim.isOver(), 'the fault to end the connection');
    broken = null;
    const rounds = running.rounds();
    await eventually(() => running.rounds() > rounds + 6, 'the others to continue');
    await running.stop();
  },
  240_000,
);

test('an exception when a connection begins only ends that connection', async () => {
  const running = await otherConnections(server.port);
  broken = 'remoteAddress';
  const victim = await dial(server.port, victimAddress);
  await eventually(() => faults.length > 0 && victim.isOver(), 'the fault to end the connection');
  broken = null;
  expect(victim.received()).toBe('');
  await running.stop();
});

test("an exception at the end of a tick doesn't delay later connections", async () => {
  const clients = await Promise.all(
    [victimAddress, '127.0.0.1', victimAddress, '127.0.0.1'].map((from) => dial(server.port, from)),
  );
  broken = 'write';
  for (const { socket } of clients) socket.write(get('/waits'));
  await eventually(() => clients[1]?.received() !== '' && clients[3]?.received() !== '', 'the others');
  await eventually(() => clients[0]?.isOver() === true && clients[2]?.isOver() === true, 'the broken ones');
  expect([clients[0]?.received(), clients[2]?.received()]).toEqual(['', '']);
  for (const { socket } of clients) socket.destroy();
});

test('an exception when idle connections are closed only ends that connection', async () => {
  const { port, appServer, listener } = open(50);
  const [victim, slowClient] = [await dial(port, victimAddress), await dial(port)];
  broken = 'shutdown';
  slowClient.socket.write(get('/slow'));
  await eventually(() => faults.length > 0 && victim.isOver(), 'the fault to end the connection');
  await eventually(() => slowClient.received().endsWith('behind'), 'the other to be answered');
  broken = null;
  expect(victim.received()).toBe('');
  await listener.stopAccepting(1_000);
  await appServer.stop(1_000);
  await listener.endConnections();
});

test('an exception at a stop only ends that connection', async () => {
  const victims = [await dial(server.port, victimAddress), await dial(server.port, victimAddress)];
  const other = await dial(server.port);
  other.socket.write(get('/behind') + get('/slow'));
  await eventually(() => other.received() !== '', 'the first answer');
  broken = 'shutdown';
  const stopping = server.listener.stopAccepting(5_000);
  await eventually(() => victims.every(({ isOver }) => isOver()), 'the fault to end the connections');
  await eventually(() => responsesIn(other.received()) === 2, 'the other to be answered');
  await stopping;
  expect(faults.length).toBeGreaterThan(0);
});

test('an exception when a failed connection is closed is handled as well', async () => {
  const running = await otherConnections(server.port);
  broken = 'terminate';
  const victim = await dial(server.port, victimAddress);
  victim.socket.write(get('/throws'));
  await eventually(() => victim.isOver(), 'the fault to end the connection');
  await running.stop();
  expect(running.rounds()).toBeGreaterThan(0);
});

test("an exception in the app server's handler gets 500, and the connection continues", async () => {
  const { socket, received } = await dial(server.port);
  socket.write(get('/sync-throw') + get('/waits'));
  await eventually(() => responsesIn(received()) === 1, 'the answer after it');
  expect(received()).toStartWith('HTTP/1.1 500 ');
  expect(received()).toContain('"error_code":"INTERNAL"');
  socket.destroy();
});
