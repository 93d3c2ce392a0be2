import { afterEach, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { selfSigned } from '../../../test/support/certificate.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { TlsPort } from '../tls/tls-port.ts';
import { openPort, type Receiver, type VisitorPort, type VisitorSocket } from './port.ts';

interface Met {
  readonly socket: VisitorSocket;
  readonly heard: string[];
  readonly happened: string[];
}

/** Records everything that happens; tests set handlers for the rest. */
class Notes implements Receiver<Met> {
  readonly met: Met[] = [];
  readonly faults: unknown[] = [];
  onReceived: (met: Met, bytes: Buffer) => void = () => {};
  onDrained: (met: Met) => void = () => {};
  onEnded: (met: Met) => void = () => {};

  opened(socket: VisitorSocket): Met {
    const met = { socket, heard: [], happened: [] };
    this.met.push(met);
    return met;
  }

  received(met: Met, bytes: Buffer): void {
    met.heard.push(bytes.toString('latin1'));
    this.onReceived(met, bytes);
  }

  drained(met: Met): void {
    met.happened.push('drained');
    this.onDrained(met);
  }

  ended(met: Met): void {
    met.happened.push('ended');
    this.onEnded(met);
  }

  closed(met: Met): void {
    met.happened.push('closed');
  }

  failed(met: Met, cause: unknown): void {
    this.faults.push(cause);
    met.socket.terminate();
  }
}

const until = async (text: () => string, wanted: string) =>
  eventually(() => text() === wanted, `"${wanted.slice(0, 20)}" to be heard`);

const { certificate, key } = selfSigned('links.example.com');
const ways = {
  plain: {
    open: openPort,
    call: (port: number, host: string): Socket => connect({ host, port, allowHalfOpen: true }),
    connected: 'connect',
  },
  TLS: {
    open: (...parts: Parameters<typeof openPort<Met>>) =>
      new TlsPort({ certificate, key }).open<Met>(...parts),
    call: (port: number, host: string): Socket =>
      // The option is missing in the type, but the socket supports it.
      connectTls({ host, port, rejectUnauthorized: false, ...{ allowHalfOpen: true } }),
    connected: 'secureConnect',
  },
};

describe.each(['plain', 'TLS'] as const)('a port (%s)', (kind) => {
  const way = ways[kind];
  let port: VisitorPort;
  let notes: Notes;
  const callers: Socket[] = [];

  const open = (hostname = '127.0.0.1') => {
    notes = new Notes();
    port = way.open({ hostname, port: 0, reusePort: false }, notes);
  };
  const call = async (
    host = '127.0.0.1',
  ): Promise<{ caller: Socket; said: () => string; over: () => boolean }> => {
    let text = '';
    let isOver = false;
    const caller = way.call(port.port, host);
    callers.push(caller);
    caller.on('data', (bytes) => {
      text += bytes.toString('latin1');
    });
    caller.on('error', () => {});
    caller.on('end', () => {
      isOver = true;
    });
    await new Promise((connected) => caller.once(way.connected, connected));
    return { caller, said: () => text, over: () => isOver };
  };
  const first = (): Met => notes.met[0] as Met;

  afterEach(() => {
    for (const caller of callers.splice(0)) caller.destroy();
    port.close();
  });

  test("receives data, answers in text and in bytes, and knows the client's address", async () => {
    open();
    notes.onReceived = ({ socket }, bytes) => {
      expect(socket.write('text ')).toBe(5);
      expect(socket.write(bytes)).toBe(bytes.length);
    };
    const { caller, said } = await call();
    caller.write('abc');
    await until(said, 'text abc');
    caller.write('def');
    await until(said, 'text abctext def');
    expect(first().heard).toEqual(['abc', 'def']);
    expect(first().socket.remoteAddress).toBe('127.0.0.1');
  });

  test('knows clients over IPv6, and clients over IPv4 by their own address', async () => {
    open('::');
    await call('::1');
    await call('127.0.0.1');
    await eventually(() => notes.met.length === 2, 'both to be let in');
    const plain = (address: string) => address.replace('::ffff:', '');
    expect(notes.met.map(({ socket }) => plain(socket.remoteAddress))).toEqual(['::1', '127.0.0.1']);
  });

  test("sends data beyond the system's buffer, in order, to slow readers", async () => {
    open();
    const length = 20_000_000;
    const large = Buffer.alloc(length, 'abcdefghijklmnopqrstuvwxyz');
    let sent = 0;
    let turns = 0;
    const go = ({ socket }: Met) => {
      turns += 1;
      sent += socket.write(turns % 2 === 0 ? large.subarray(sent) : large.toString('latin1', sent));
    };
    notes.onReceived = go;
    notes.onDrained = go;
    const { caller, said } = await call();
    caller.pause();
    caller.write('go');
    await eventually(() => sent > 0, 'a part to be sent');
    expect(sent).toBeLessThan(length);
    caller.resume();
    await eventually(() => said().length === length, 'all to be heard');
    expect(said() === large.toString('latin1')).toBe(true);
    expect(turns).toBeGreaterThan(1);
  });

  test('reads nothing from a paused client, and all of it afterwards', async () => {
    open();
    notes.onReceived = ({ socket }) => socket.pause();
    const { caller } = await call();
    caller.write('one');
    await until(() => first().heard.join(), 'one');
    caller.write('two');
    const other = await call();
    other.caller.write('other');
    await eventually(() => notes.met[1]?.heard[0] === 'other', 'another to be heard');
    expect(first().heard).toEqual(['one']);
    first().socket.resume();
    await until(() => first().heard.join(''), 'onetwo');
  });

  test('still answers a half-closed client, and then ends', async () => {
    open();
    notes.onEnded = ({ socket }) => {
      socket.write('goodbye');
      socket.shutdown();
    };
    const { caller, said, over } = await call();
    caller.end('hello');
    await until(said, 'goodbye');
    await eventually(() => over() && first().happened.includes('closed'), 'the end');
    // With TLS, 'drained' also comes once the handshake has been sent.
    expect(first().happened.filter((what) => what !== 'drained')).toEqual(['ended', 'closed']);
  });

  test('notices disconnected clients, even if nothing is read from them', async () => {
    open();
    notes.onReceived = ({ socket }) => socket.pause();
    const { caller } = await call();
    caller.write('a');
    await until(() => first().heard.join(), 'a');
    caller.resetAndDestroy();
    await eventually(() => first().happened.includes('closed'), 'the end');
    expect(first().socket.write('too late')).toBeLessThan(9);
    first().socket.shutdown();
    first().socket.terminate();
    first().socket.resume();
    expect(first().happened.filter((what) => what === 'closed')).toHaveLength(1);
  });

  test('keeps serving others if an error of ours ends one connection', async () => {
    open();
    notes.onReceived = ({ socket }, bytes) => {
      if (bytes.toString() === 'bad') throw new Error('a fault');
      socket.write('good');
    };
    const [bad, good] = [await call(), await call()];
    bad.caller.write('bad');
    good.caller.write('good');
    await until(good.said, 'good');
    await eventually(() => notes.faults.length === 1 && first().happened.includes('closed'), 'the end');
    expect([bad.said(), good.said()]).toEqual(['', 'good']);
  });

  test('calls back once all data of a tick is received, including callbacks requested meanwhile', async () => {
    open();
    const order: string[] = [];
    notes.onReceived = (_, bytes) => {
      order.push(bytes.toString());
      port.afterTick(() => {
        order.push('after');
        port.afterTick(() => order.push('after that'));
      });
    };
    const { caller } = await call();
    caller.write('a');
    await eventually(() => order.length === 3, 'all of it');
    expect(order).toEqual(['a', 'after', 'after that']);
  });

  test('leaves the thread its timers, its own sockets and its promises', async () => {
    open();
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('elsewhere') });
    notes.onReceived = async ({ socket }) => {
      // A timer, then a socket of this thread's own, then a promise.
      await Bun.sleep(1);
      const answer = await fetch(`http://127.0.0.1:${server.port}/`);
      await new Promise(setImmediate);
      socket.write(await answer.text());
    };
    const { caller, said } = await call();
    caller.write('a');
    await until(said, 'elsewhere');
    await server.stop(true);
    expect(notes.faults).toEqual([]);
  });

  test('mixes no connections up while hundreds open and close', async () => {
    open();
    notes.onReceived = ({ socket }, bytes) => {
      socket.write(bytes);
      if (bytes.toString().endsWith('!')) socket.shutdown();
    };
    const filesBefore = readdirSync('/dev/fd').length;
    const visit = async (name: string, way: number) => {
      const { caller, said, over } = await call();
      caller.write(name);
      await until(said, name);
      if (way === 0) caller.resetAndDestroy();
      else if (way === 1) caller.end();
      else {
        caller.write('!');
        await eventually(over, 'the end');
        expect(said()).toBe(`${name}!`);
        caller.end();
      }
    };
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 60 }, (_, index) => visit(`${round}-${index}`, index % 3)));
    for (const { socket } of notes.met) socket.terminate();
    for (const caller of callers.splice(0)) caller.destroy();
    await eventually(() => readdirSync('/dev/fd').length <= filesBefore, 'all files to be closed');
    expect(notes.met.map(({ heard }) => heard.join('').replace('!', '')).length).toBe(240);
    expect(notes.faults).toEqual([]);
  });

  test('accepts no connection once it stops, keeps open ones, and ends when it is closed', async () => {
    open();
    notes.onReceived = ({ socket }, bytes) => void socket.write(bytes);
    const { caller, said, over } = await call();
    await eventually(() => notes.met.length === 1, 'the caller to be let in');
    port.stop();
    const late = connect({ host: '127.0.0.1', port: port.port });
    callers.push(late);
    const refused = new Promise<string>((resolve) => late.on('error', ({ message }) => resolve(message)));
    expect(await refused).toContain('ECONNREFUSED');
    caller.write('still there');
    await until(said, 'still there');
    let isCalled = false;
    port.afterTick(() => {
      isCalled = true;
    });
    port.close();
    await eventually(over, 'the end');
    await eventually(() => isCalled, 'what was put off before');
    await new Promise<void>((called) => port.afterTick(called));
  });
});
