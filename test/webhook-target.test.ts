import { afterEach, describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import http from 'node:http';
import { isIPv6, type LookupFunction } from 'node:net';
import { allowListOf } from '../src/rules/webhook-allow.ts';
import { post } from '../src/webhooks/deliver.ts';
import { type Resolver, resolveTarget } from '../src/webhooks/target-guard.ts';
import type { Zone } from './support/name-server.ts';
import {
  allowing,
  call,
  closeTargets,
  hostOf,
  inBatches,
  inside,
  listenTwice,
  nameServer,
  ok,
  outgoing,
  outside,
  permitted,
  response,
  urlOf,
} from './support/outside-target.ts';

afterEach(closeTargets);

describe('a name that resolves differently the second time', () => {
  const rebinding: Zone = (_name, type, queryCount) => {
    if (queryCount > 0) return type === 'A' ? [inside] : [];
    return [outside];
  };

  test('is resolved once: 1,000 rebinds cause no internal connection', async () => {
    const { target, trap } = await listenTwice(ok);
    const dnsServer = await nameServer(rebinding);
    const attempts = await inBatches(1000, 50, (index) =>
      post(urlOf(`rebind-${index}.example.com`, target.port), outgoing, permitted(target.port), {
        lookup: dnsServer.resolver,
      }),
    );
    expect(attempts.filter(({ kind }) => kind === 'answered')).toHaveLength(1000);
    expect(target.connections).toHaveLength(1000);
    expect(trap.connections).toHaveLength(0);
    expect(new Set(dnsServer.queries).size).toBe(2000);
    expect(dnsServer.queries).toHaveLength(2000);
  });

  // c-ares caches for a while that a name has no IPv4 address: with ::1 there is nothing to rebind to.
  test.skipIf(outside === '::1')(
    'reaches an internal server if a caller checks it and then resolves it again',
    async () => {
      const { target, trap } = await listenTwice(ok);
      const dnsServer = await nameServer(rebinding);
      const host = 'rebind.example.com';
      const found = await resolveTarget(host, target.port, dnsServer.resolver, permitted(target.port));
      expect(found.kind).toBe('checked');
      const uncheckedLookup: LookupFunction = async (name, _options, callback) => {
        const addresses = await dnsServer.resolver(name);
        callback(
          null,
          addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
        );
      };
      const request = http.get({ host, port: target.port, agent: false, lookup: uncheckedLookup });
      await once(request, 'response');
      expect([target.connections.length, trap.connections.length]).toEqual([0, 1]);
    },
  );

  test('is refused at the next call, 1,000 times', async () => {
    const { target, trap } = await listenTwice(ok);
    const dnsServer = await nameServer((_name, type) => (type === 'A' ? [inside] : []));
    const attempts = await inBatches(1000, 50, (index) =>
      post(urlOf(`rebound-${index}.example.com`, target.port), outgoing, permitted(target.port), {
        lookup: dnsServer.resolver,
      }),
    );
    expect(attempts.filter(({ kind }) => kind === 'refused')).toHaveLength(1000);
    expect([target.connections.length, trap.connections.length]).toEqual([0, 0]);
  });

  test('is called at the public address that was checked', async () => {
    const dnsServer = await nameServer((_name, type, queryCount) =>
      queryCount > 0 ? [inside, '::1'] : type === 'A' ? ['93.184.215.14'] : ['2606:4700::1'],
    );
    const found = await inBatches(1000, 50, (index) =>
      resolveTarget(`public-${index}.example.com`, 443, dnsServer.resolver, []),
    );
    const addresses = found.map((one) => (one.kind === 'checked' ? one.addresses.join(' ') : one.kind));
    expect(new Set(addresses)).toEqual(new Set(['93.184.215.14 2606:4700::1']));
  });

  test.each([
    ['beside a good address', [inside], true],
    ['in its IPv6 form', ['::ffff:7f00:1'], true],
    ['through NAT64', ['64:ff9b::7f00:1'], true],
    ['alone', [inside], false],
  ])('an internal address %s is refused', async (_how, bad, besideGood) => {
    const { target, trap } = await listenTwice(ok);
    const dnsServer = await nameServer(() => (besideGood ? [outside, ...bad] : bad));
    const attempt = await post(urlOf('mixed.example.com', target.port), outgoing, permitted(target.port), {
      lookup: dnsServer.resolver,
    });
    expect(attempt).toEqual({
      kind: 'refused',
      sentence: '"mixed.example.com" is not a public address. The operator can permit it by WEBHOOK_ALLOW.',
    });
    expect([target.connections.length, trap.connections.length]).toEqual([0, 0]);
  });
});

describe("a name that can't be resolved", () => {
  test.each([
    ['no such name', /^The name "gone\.example\.com" could not be resolved \(ENOTFOUND\)\.$/],
    ['server failure', /^The name "gone\.example\.com" could not be resolved \(ESERVFAIL\)\.$/],
  ] as const)('%s: the attempt reports it', async (records, sentence) => {
    const dnsServer = await nameServer(() => records);
    const attempt = await post('https://gone.example.com/', outgoing, [], { lookup: dnsServer.resolver });
    expect(attempt).toMatchObject({ kind: 'failed', sentence: expect.stringMatching(sentence) });
  });

  test('a silent name server is not awaited beyond the deadline', async () => {
    const dnsServer = await nameServer(() => 'silence');
    const attempt = await post('https://slow.example.com/', outgoing, [], {
      lookup: dnsServer.resolver,
      deadline: 50,
    });
    expect(attempt).toMatchObject({ kind: 'failed', sentence: 'There was no answer within 0.05 seconds.' });
  });
});

describe('20 redirects', () => {
  const statuses = [301, 302, 303, 307, 308];
  const locations = (port: number) => [
    `http://${inside}:${port}/`,
    `//${inside}:${port}/`,
    `http://2130706433:${port}/`,
    `http://localhost:${port}/`,
  ];
  const all = statuses.flatMap((status) => [0, 1, 2, 3].map((index) => ({ status, index })));

  test('are responses like any other, and none is followed', async () => {
    const { target, trap } = await listenTwice((socket, request) => {
      const { status, index } = all[Number(/\/hook(\d+)/.exec(request)?.[1])] ?? { status: 500, index: 0 };
      const location = locations(target.port)[index];
      socket.end(response(`${status} Elsewhere\r\nlocation: ${location}\r\ncontent-length: 0`));
    });
    const attempts = await inBatches(20, 20, (index) => call(target, {}, String(index)));
    expect(attempts.map((attempt) => attempt.kind === 'answered' && attempt.status)).toEqual(
      all.map(({ status }) => status),
    );
    expect(target.connections).toHaveLength(20);
    expect(trap.connections).toHaveLength(0);
  });
});

describe('the request', () => {
  test('is a single one with the name as its host, and asks for no compression', async () => {
    const { target } = await listenTwice(ok);
    const dnsServer = await nameServer(() => [outside]);
    const attempt = await post(
      `http://hooks.example.com:${target.port}/a?b=c#d`,
      outgoing,
      permitted(target.port),
      {
        lookup: dnsServer.resolver,
      },
    );
    expect(attempt).toEqual({
      kind: 'answered',
      status: 200,
      retryAfter: null,
      location: null,
      excerpt: 'ok',
      duration: expect.any(Number),
    });
    const [head = '', body] = target.received.split('\r\n\r\n');
    const lines = head.toLowerCase().split('\r\n');
    expect(lines[0]).toBe('post /a?b=c http/1.1');
    expect(lines.slice(1).toSorted()).toEqual([
      'accept-encoding: identity',
      'connection: close',
      'content-length: 17',
      'content-type: application/json',
      `host: hooks.example.com:${target.port}`,
    ]);
    expect(body).toBe(outgoing.body);
  });

  test('reaches a service on localhost in a trial', async () => {
    const { trap: service } = await listenTwice(ok);
    const url = `http://localhost:${service.port}/hook`;
    expect(await post(url, outgoing, allowListOf(null, true))).toMatchObject({
      kind: 'answered',
      status: 200,
    });
    expect(await post(url, outgoing, allowListOf(null, false))).toMatchObject({ kind: 'refused' });
    expect(await post(url, outgoing, allowListOf([], true))).toMatchObject({ kind: 'refused' });
    expect(service.connections).toHaveLength(1);
  });

  test('does not use a proxy of the environment', async () => {
    const { target, trap } = await listenTwice(ok);
    const before = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = `http://${inside}:${trap.port}`;
    try {
      expect((await call(target)).kind).toBe('answered');
    } finally {
      if (before === undefined) delete process.env.HTTP_PROXY;
      else process.env.HTTP_PROXY = before;
    }
    expect(trap.connections).toHaveLength(0);
  });

  test('is sent to the next checked address if the first does not accept it', async () => {
    const { target, trap } = await listenTwice(ok);
    const lookup: Resolver = async () => ['127.0.0.3', outside];
    const attempt = await post(
      urlOf('two.example.com', target.port),
      outgoing,
      allowing('127.0.0.3', `${hostOf(outside)}:${target.port}`),
      { lookup },
    );
    expect(attempt.kind).toBe('answered');
    expect(trap.connections).toHaveLength(0);
  });

  test('is not sent with invalid headers', async () => {
    const { target } = await listenTwice(ok);
    const attempt = await post(
      urlOf(outside, target.port),
      { headers: { 'webhook-id': 'x\r\nhost: y' }, body: '' },
      permitted(target.port),
    );
    expect(attempt.kind).toBe('failed');
    expect(target.connections).toHaveLength(0);
  });
});
