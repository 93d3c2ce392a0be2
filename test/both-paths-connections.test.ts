import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { openBothPaths, wideLimits } from './support/both-paths.ts';
import { eventually } from './support/eventually.ts';
import {
  connectAndSend,
  readAfterSending,
  sendPieces,
  socketPorts,
  statusesOf,
} from './support/raw-sockets.ts';
import {
  fastRequest,
  forwardedRequest,
  get,
  ofLength,
  openSampleService,
  post,
  respond,
  type SampleService,
} from './support/sample-service.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

let paths: SampleService['paths'];
let faults: SampleService['faults'];
/** The requests that the app server received. */
let asked: SampleService['appServerRequests'];

/** Other tests of this process may have listeners, too. */
let otherListeners: readonly number[];

beforeAll(() => {
  otherListeners = socketPorts('0A');
  ({ paths, faults, appServerRequests: asked } = openSampleService());
});
afterAll(async () => {
  expect(faults).toEqual([]);
  await paths.drain();
});

/** Resolves once this text has arrived. */
const received = (socket: Socket, expected: string): Promise<void> =>
  new Promise((resolve) => {
    let text = '';
    const take = (part: Buffer) => {
      text += part.toString('latin1');
      if (!text.includes(expected)) return;
      socket.off('data', take);
      resolve();
    };
    socket.on('data', take);
  });

describe('the address of a visitor', () => {
  test('is that of the connection on both paths, whatever the headers say, for many visitors at once', async () => {
    const forgedHeaders = [
      'X-Forwarded-For: 203.0.113.5\r\nForwarded: for=203.0.113.5\r\nX-Real-IP: 203.0.113.5\r\n',
      'X-Forwarded-For: 127.0.0.1\r\nVia: 1.1 elsewhere\r\nCF-Connecting-IP: 127.0.0.1\r\n',
      '',
    ];
    for (let round = 0; round < 3; round++) {
      const visitors = Array.from({ length: 40 }, (_, index) => `127.0.${round}.${index + 2}`);
      await Promise.all(
        visitors.map(async (address, index) => {
          const headers = forgedHeaders[index % forgedHeaders.length];
          const bytes =
            get('/who', headers) +
            get('/known/who', headers) +
            get('/who', `${headers}Connection: close\r\n`);
          const bodies = (await sendPieces(paths.port, [bytes], { from: address })).match(/127\.[\d.]+/g);
          expect(bodies).toEqual([address, address, address]);
        }),
      );
    }
  });
});

describe('a connection', () => {
  test('never treats bytes after a response to an incomplete request as another request', async () => {
    asked.length = 0;
    const socket = await connectAndSend(
      paths.port,
      get('/large', 'Connection: close\r\nContent-Length: 9999999\r\n'),
    );
    socket.pause();
    // The app server has answered and closed its connection; the listener still has the answer, since the client doesn't read.
    for (let turn = 0; turn < 20; turn++) {
      // These bytes must not be read as a request, whenever they arrive.
      await Bun.sleep(10);
      socket.write(post('/smuggled', ofLength(''), ''));
    }
    socket.destroy();
    expect(asked).toEqual(['GET /large']);
  });

  test('from another local process to the app server is refused, even from a port number used for a visitor', async () => {
    const before = socketPorts('01');
    const visitor = await connectAndSend(paths.port, forwardedRequest);
    await new Promise((resolve) => visitor.once('data', resolve));
    const appServerPort =
      socketPorts('0A').find((port) => port !== paths.port && !otherListeners.includes(port)) ?? 0;
    const forwardingPort = socketPorts('01', appServerPort).find((port) => !before.includes(port)) ?? 0;
    asked.length = 0;
    const options = { from: '127.0.0.2', fromPort: forwardingPort, count: 1 };
    expect(statusesOf(await sendPieces(appServerPort, [get('/forged')], options))).toEqual([403]);
    visitor.destroy();
    expect(asked).toEqual([]);
  });

  test('is released at once if the client disconnects in the middle of a body', async () => {
    await sendPieces(paths.port, [forwardedRequest], { count: 1 });
    const openDescriptors = () => readdirSync('/proc/self/fd').length;
    const before = openDescriptors();
    const socket = await connectAndSend(paths.port, post('/read', 'Content-Length: 9\r\n', 'a'));
    // Nothing reports when half a body has arrived.
    await Bun.sleep(50);
    socket.destroy();
    await eventually(() => openDescriptors() <= before, 'the connections to be released');
    expect(faults).toEqual([]);
  });

  test('that is half-closed by the visitor is answered, even if the response closes it', async () => {
    const lastRequests = [
      fastRequest,
      forwardedRequest,
      get('/known', 'Connection: close\r\n'),
      fastRequest.replace('1.1', '1.0'),
    ];
    const responses = await Promise.all(
      lastRequests.map((bytes) => sendPieces(paths.port, [bytes], { endsAfterSending: true })),
    );
    expect(responses.map(statusesOf)).toEqual([[302], [200], [302], [302]]);
  });

  test('that ends with the response has "Connection: close", on the fast path and from the app server', async () => {
    for (const path of ['/known', '/other', '/late']) {
      const response = await sendPieces(paths.port, [get(path, 'Connection: close\r\n')]);
      expect([path, /\r\nConnection: close\r\n/i.test(String(response))]).toEqual([path, true]);
    }
  });

  test('leaves no file descriptor open, however it ends', async () => {
    const openDescriptors = () => readdirSync('/proc/self/fd').length;
    await sendPieces(paths.port, [forwardedRequest], { count: 1 });
    const before = openDescriptors();
    const firstBytes = [fastRequest, forwardedRequest, get('/late'), get('/large'), 'GET /kn', 'POST'];
    for (let round = 0; round < 5; round++) {
      const sockets = await Promise.all(
        Array.from({ length: 10 }, () => firstBytes.map((bytes) => connectAndSend(paths.port, bytes))).flat(),
      );
      for (const [index, socket] of sockets.entries()) {
        if (index % 3 === 0) socket.resetAndDestroy();
        else if (index % 3 === 1) socket.destroy();
        else socket.end(() => socket.destroy());
      }
    }
    await eventually(() => openDescriptors() <= before, 'the connections to be released');
    expect(faults).toEqual([]);
  });
});

describe('a connection, continued', () => {
  test('that is half-closed by the visitor is also answered by the app server, as by a plain server', async () => {
    const lastRequests = [
      get('/other', 'Connection: close\r\n'),
      forwardedRequest.replace('1.1', '1.0'),
      post('/other', 'Transfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    ];
    const responses = await Promise.all(
      lastRequests.map((bytes) => sendPieces(paths.port, [bytes], { endsAfterSending: true })),
    );
    expect(responses.map(statusesOf)).toEqual([[200], [200], [200]]);
  });

  test('with a complete request when the service begins to stop is answered', async () => {
    const stopping = openBothPaths(
      (cause) => faults.push(cause),
      respond,
      ({ path }) =>
        path === '/known' ? { head: 'HTTP/1.1 204 No Content\r\n', body: '', waits: false } : null,
    );
    const visitors = await Promise.all(
      [fastRequest, forwardedRequest].map((bytes) => connectAndSend(stopping.port, bytes)),
    );
    await Promise.all(visitors.map((visitor) => new Promise((resolve) => visitor.once('data', resolve))));
    const received = visitors.map(
      (visitor) =>
        new Promise<string>((resolve) => {
          let text = '';
          visitor.on('data', (part) => {
            text += part.toString('latin1');
          });
          visitor.on('close', () => resolve(text));
        }),
    );
    visitors[0]?.write(fastRequest);
    visitors[1]?.write(forwardedRequest);
    await stopping.drain();
    expect((await Promise.all(received)).map(statusesOf)).toEqual([[204], [200]]);
  });

  test('is answered after its idle upstream connection was closed for the request of another one', async () => {
    const held = { begun: Promise.withResolvers<void>(), end: Promise.withResolvers<void>() };
    const crowded = openBothPaths(
      (cause) => faults.push(cause),
      (request) => {
        if (!request.url.endsWith('/held')) return respond(request);
        held.begun.resolve();
        return held.end.promise.then(() => new Response('GET /held\n'));
      },
      ({ path }) =>
        path === '/known' ? { head: 'HTTP/1.1 204 No Content\r\n', body: '', waits: false } : null,
      { ...wideLimits, upstream: 1 },
    );
    const visitors = [
      await connectAndSend(crowded.port, ''),
      await connectAndSend(crowded.port, ''),
    ] as const;
    const [first, second] = visitors;
    first.write(get('/1'));
    await received(first, 'GET /1\n');
    second.write(get('/2'));
    await received(second, 'GET /2\n');
    // The second request is sent before the first is answered.
    first.write(get('/held') + get('/3'));
    await held.begun.promise;
    second.write(fastRequest + get('/4'));
    // The other one waits for its turn by then.
    await received(second, ' 204 ');
    const answers = [received(first, 'GET /3\n'), received(second, 'GET /4\n')];
    held.end.resolve();
    await Promise.all(answers);
    await crowded.drain();
  });

  test('whose large body is refused unread gets the response, ends, and does not delay the stop', async () => {
    const refusing = openBothPaths(
      (cause) => faults.push(cause),
      () => new Response('too large', { status: 413 }),
      () => null,
    );
    const body = 'x'.repeat(3_000_000);
    const framings = [
      post('/other', `Content-Length: ${body.length}\r\n`, body),
      post('/other', 'Transfer-Encoding: chunked\r\n', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`),
    ];
    const visitors = framings.map((bytes) => readAfterSending(refusing.port, bytes));
    await Promise.all(visitors.map(({ firstData }) => firstData));
    const began = performance.now();
    await refusing.drain();
    // Requests under way have ten seconds to finish, which these must not use up.
    expect(performance.now() - began).toBeLessThan(scaledToLoad(5_000));
    expect((await Promise.all(visitors.map(({ all }) => all))).map(statusesOf)).toEqual([[413], [413]]);
  });

  test('with bare line feeds in its head is refused at once', async () => {
    expect(statusesOf(await sendPieces(paths.port, ['GET /known HTTP/1.1\nHost: a\n\n']))).toEqual([400]);
  });
});
