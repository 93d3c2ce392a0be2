import { afterEach, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { selfSigned } from '../../../test/support/certificate.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { TlsPort } from '../tls/tls-port.ts';
import { openPort, type Receiver, type VisitorPort, type VisitorSocket } from './port.ts';

interface TestConnection {
  readonly socket: VisitorSocket;
  readonly received: string[];
  readonly events: string[];
}

/** Records all data and events; tests set handlers to respond to them. */
class RecordingReceiver implements Receiver<TestConnection> {
  readonly connections: TestConnection[] = [];
  readonly faults: unknown[] = [];
  onReceived: (connection: TestConnection, bytes: Buffer) => void = () => {};
  onDrained: (connection: TestConnection) => void = () => {};
  onEnded: (connection: TestConnection) => void = () => {};

  opened(socket: VisitorSocket): TestConnection {
    const connection = { socket, received: [], events: [] };
    this.connections.push(connection);
    return connection;
  }

  received(connection: TestConnection, bytes: Buffer): void {
    connection.received.push(bytes.toString('latin1'));
    this.onReceived(connection, bytes);
  }

  drained(connection: TestConnection): void {
    connection.events.push('drained');
    this.onDrained(connection);
  }

  handshakeWaits(): void {}

  ended(connection: TestConnection): void {
    connection.events.push('ended');
    this.onEnded(connection);
  }

  closed(connection: TestConnection): void {
    connection.events.push('closed');
  }

  failed(connection: TestConnection, cause: unknown): void {
    this.faults.push(cause);
    connection.socket.terminate();
  }
}

const untilReceived = async (text: () => string, expected: string) =>
  eventually(() => text() === expected, `"${expected.slice(0, 20)}" to be received`);

const { certificate, key } = selfSigned('links.example.com');
const transports = {
  plain: {
    open: openPort,
    connect: (port: number, host: string): Socket => connect({ host, port, allowHalfOpen: true }),
    connectedEvent: 'connect',
  },
  TLS: {
    open: (...parts: Parameters<typeof openPort<TestConnection>>) =>
      new TlsPort({ certificate, key }).open<TestConnection>(...parts),
    connect: (port: number, host: string): Socket =>
      // The option is missing in the type, but the socket supports it.
      connectTls({ host, port, rejectUnauthorized: false, ...{ allowHalfOpen: true } }),
    connectedEvent: 'secureConnect',
  },
};

describe.each(['plain', 'TLS'] as const)('a port (%s)', (kind) => {
  const transport = transports[kind];
  let port: VisitorPort;
  let receiver: RecordingReceiver;
  const clients: Socket[] = [];

  const open = (hostname = '127.0.0.1') => {
    receiver = new RecordingReceiver();
    port = transport.open({ hostname, port: 0, reusePort: false }, receiver);
  };
  const connectClient = async (
    host = '127.0.0.1',
  ): Promise<{ client: Socket; received: () => string; hasEnded: () => boolean }> => {
    let text = '';
    let isEnded = false;
    const client = transport.connect(port.port, host);
    clients.push(client);
    client.on('data', (bytes) => {
      text += bytes.toString('latin1');
    });
    client.on('error', () => {});
    client.on('end', () => {
      isEnded = true;
    });
    await new Promise((resolve) => client.once(transport.connectedEvent, resolve));
    return { client, received: () => text, hasEnded: () => isEnded };
  };
  const firstConnection = (): TestConnection => receiver.connections[0] as TestConnection;

  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
    port.close();
  });

  test("receives data, answers in text and in bytes, and knows the client's address", async () => {
    open();
    receiver.onReceived = ({ socket }, bytes) => {
      expect(socket.write('text ')).toBe(5);
      expect(socket.write(bytes)).toBe(bytes.length);
    };
    const { client, received } = await connectClient();
    client.write('abc');
    await untilReceived(received, 'text abc');
    client.write('def');
    await untilReceived(received, 'text abctext def');
    expect(firstConnection().received).toEqual(['abc', 'def']);
    expect(firstConnection().socket.remoteAddress).toBe('127.0.0.1');
  });

  test('knows clients over IPv6, and clients over IPv4 by their own address', async () => {
    open('::');
    await connectClient('::1');
    await connectClient('127.0.0.1');
    await eventually(() => receiver.connections.length === 2, 'both to be accepted');
    const plain = (address: string) => address.replace('::ffff:', '');
    expect(receiver.connections.map(({ socket }) => plain(socket.remoteAddress))).toEqual([
      '::1',
      '127.0.0.1',
    ]);
  });

  test('leaves the bytes of a piece as they were, whatever is received after it', async () => {
    open();
    const kept: { readonly bytes: Buffer; readonly text: string }[] = [];
    receiver.onReceived = (_, bytes) => kept.push({ bytes, text: bytes.toString('latin1') });
    const clients = await Promise.all(Array.from({ length: 8 }, () => connectClient()));
    const length = 200_000;
    for (const [index, { client }] of clients.entries()) client.write(Buffer.alloc(length, 65 + index));
    const sum = () => kept.reduce((total, { bytes }) => total + bytes.length, 0);
    await eventually(() => sum() === length * clients.length, 'all to be received');
    expect(kept.filter(({ bytes, text }) => bytes.toString('latin1') !== text)).toEqual([]);
    expect(new Set(kept.map(({ text }) => text[0])).size).toBe(clients.length);
  });

  test("sends data beyond the system's buffer, in order, to slow readers", async () => {
    open();
    const length = 20_000_000;
    const large = Buffer.alloc(length, 'abcdefghijklmnopqrstuvwxyz');
    let sent = 0;
    let writes = 0;
    const sendMore = ({ socket }: TestConnection) => {
      writes += 1;
      sent += socket.write(writes % 2 === 0 ? large.subarray(sent) : large.toString('latin1', sent));
    };
    receiver.onReceived = sendMore;
    receiver.onDrained = sendMore;
    const { client, received } = await connectClient();
    client.pause();
    client.write('go');
    await eventually(() => sent > 0, 'a part to be sent');
    expect(sent).toBeLessThan(length);
    client.resume();
    await eventually(() => received().length === length, 'all to be received');
    expect(received() === large.toString('latin1')).toBe(true);
    expect(writes).toBeGreaterThan(1);
  });

  test('reads nothing from a paused client, and all of it afterwards', async () => {
    open();
    receiver.onReceived = ({ socket }) => socket.pause();
    const { client } = await connectClient();
    client.write('one');
    await untilReceived(() => firstConnection().received.join(), 'one');
    client.write('two');
    const other = await connectClient();
    other.client.write('other');
    await eventually(() => receiver.connections[1]?.received[0] === 'other', 'another to be received');
    expect(firstConnection().received).toEqual(['one']);
    firstConnection().socket.resume();
    await untilReceived(() => firstConnection().received.join(''), 'onetwo');
  });

  test('still answers a half-closed client, and then ends', async () => {
    open();
    receiver.onEnded = ({ socket }) => {
      socket.write('goodbye');
      socket.shutdown();
    };
    const { client, received, hasEnded } = await connectClient();
    client.end('hello');
    await untilReceived(received, 'goodbye');
    await eventually(() => hasEnded() && firstConnection().events.includes('closed'), 'the end');
    // With TLS, 'drained' also comes once the handshake has been sent.
    expect(firstConnection().events.filter((event) => event !== 'drained')).toEqual(['ended', 'closed']);
  });

  test('notices disconnected clients, even if nothing is read from them', async () => {
    open();
    receiver.onReceived = ({ socket }) => socket.pause();
    const { client } = await connectClient();
    client.write('a');
    await untilReceived(() => firstConnection().received.join(), 'a');
    client.resetAndDestroy();
    await eventually(() => firstConnection().events.includes('closed'), 'the end');
    expect(firstConnection().socket.write('too late')).toBeLessThan(9);
    firstConnection().socket.shutdown();
    firstConnection().socket.terminate();
    firstConnection().socket.resume();
    expect(firstConnection().events.filter((event) => event === 'closed')).toHaveLength(1);
  });

  test('keeps serving other clients if an error in a handler ends one connection', async () => {
    open();
    receiver.onReceived = ({ socket }, bytes) => {
      if (bytes.toString() === 'bad') throw new Error('a fault');
      socket.write('good');
    };
    const [bad, good] = [await connectClient(), await connectClient()];
    bad.client.write('bad');
    good.client.write('good');
    await untilReceived(good.received, 'good');
    await eventually(
      () => receiver.faults.length === 1 && firstConnection().events.includes('closed'),
      'the end',
    );
    expect([bad.received(), good.received()]).toEqual(['', 'good']);
  });

  test('calls back once all data of a tick is received, including callbacks requested meanwhile', async () => {
    open();
    const order: string[] = [];
    receiver.onReceived = (_, bytes) => {
      order.push(bytes.toString());
      port.afterTick(() => {
        order.push('after');
        port.afterTick(() => order.push('after that'));
      });
    };
    const { client } = await connectClient();
    client.write('a');
    await eventually(() => order.length === 3, 'all of it');
    expect(order).toEqual(['a', 'after', 'after that']);
  });

  test('does not hold up timers, other sockets and promises of the thread', async () => {
    open();
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('elsewhere') });
    receiver.onReceived = async ({ socket }) => {
      // A timer, then a socket of this thread's own, then a promise.
      await Bun.sleep(1);
      const answer = await fetch(`http://127.0.0.1:${server.port}/`);
      await new Promise(setImmediate);
      socket.write(await answer.text());
    };
    const { client, received } = await connectClient();
    client.write('a');
    await untilReceived(received, 'elsewhere');
    await server.stop(true);
    expect(receiver.faults).toEqual([]);
  });

  test('does not mix up connections while hundreds open and close', async () => {
    open();
    receiver.onReceived = ({ socket }, bytes) => {
      socket.write(bytes);
      if (bytes.toString().endsWith('!')) socket.shutdown();
    };
    const filesBefore = readdirSync('/dev/fd').length;
    const visit = async (name: string, ending: number) => {
      const { client, received, hasEnded } = await connectClient();
      client.write(name);
      await untilReceived(received, name);
      if (ending === 0) client.resetAndDestroy();
      else if (ending === 1) client.end();
      else {
        client.write('!');
        await eventually(hasEnded, 'the end');
        expect(received()).toBe(`${name}!`);
        client.end();
      }
    };
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 60 }, (_, index) => visit(`${round}-${index}`, index % 3)));
    for (const { socket } of receiver.connections) socket.terminate();
    for (const client of clients.splice(0)) client.destroy();
    await eventually(() => readdirSync('/dev/fd').length <= filesBefore, 'all files to be closed');
    expect(receiver.connections.map(({ received }) => received.join('').replace('!', '')).length).toBe(240);
    expect(receiver.faults).toEqual([]);
  });

  test('accepts no connection once it stops, keeps open ones, and ends when it is closed', async () => {
    open();
    receiver.onReceived = ({ socket }, bytes) => void socket.write(bytes);
    const { client, received, hasEnded } = await connectClient();
    await eventually(() => receiver.connections.length === 1, 'the client to be accepted');
    port.stop();
    const late = connect({ host: '127.0.0.1', port: port.port });
    clients.push(late);
    const refused = new Promise<string>((resolve) => late.on('error', ({ message }) => resolve(message)));
    expect(await refused).toContain('ECONNREFUSED');
    client.write('still there');
    await untilReceived(received, 'still there');
    let isCalled = false;
    port.afterTick(() => {
      isCalled = true;
    });
    port.close();
    await eventually(hasEnded, 'the end');
    await eventually(() => isCalled, 'the callback that was requested before');
    await new Promise<void>((called) => port.afterTick(called));
  });
});
