import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { reservedSegments } from '../rules/service-paths.ts';
import { type PlainRequest, readPlainRequest } from './connection/plain-request.ts';
import { fastPath } from './fast-path.ts';
import type { VisitAnswer } from './redirects.ts';
import type { Visit } from './visit.ts';

function requestFor(path: string, host: string, method = 'GET'): PlainRequest {
  const text = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  return readPlainRequest(Buffer.from(text), 0) as PlainRequest;
}

const redirect: VisitAnswer = {
  kind: 'redirect',
  status: 302,
  location: 'https://a/',
  cookie: null,
  stored: 'stored',
};

const pathWith = (answer: (visit: Visit) => VisitAnswer) =>
  fastPath({
    trustedProxies: { kind: 'hops', count: 0 },
    domainOf: (host) => (host === 'unknown.example' ? null : host.length),
    redirects: { answer },
  });

const segment = fc.oneof(
  fc.constantFrom(...reservedSegments),
  fc.string({ unit: fc.constantFrom('a', 'b', 'q', '.', '_'), minLength: 1, maxLength: 3 }),
);

test("only the service's own paths are left to the app server", () => {
  const answer = pathWith(() => redirect);
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 3 }), (parts) => {
      const isOwn = reservedSegments.has(parts[0] ?? '');
      for (const end of ['', '/'])
        expect(answer(requestFor(`/${parts.join('/')}${end}`, 'h'), '192.0.2.1') === null).toBe(isOwn);
    }),
  );
});

test('each visit belongs to its own host', () => {
  const seen: string[] = [];
  const answer = pathWith(({ host, domainId, path, address }) => {
    seen.push(`${host} ${domainId} ${path} ${address}`);
    return redirect;
  });
  const hosts = [
    'a.example',
    'bb.example',
    'a.example',
    'A.example:80',
    'unknown.example',
    ']',
    'a.example',
    ']',
  ];
  const answered = hosts.map((host) => answer(requestFor('/x', host), '192.0.2.1') !== null);
  expect(answered).toEqual([true, true, true, true, false, false, true, false]);
  expect(seen).toEqual([
    'a.example 9 /x 192.0.2.1',
    'bb.example 10 /x 192.0.2.1',
    'a.example 9 /x 192.0.2.1',
    'a.example 9 /x 192.0.2.1',
    'a.example 9 /x 192.0.2.1',
  ]);
});

test('a response is written in its wire format, and waits if its hit does', () => {
  const page = { status: 410, headers: { 'x-a': 'b' }, html: '<p>' } as const;
  const written = (answer: VisitAnswer, method = 'GET') =>
    pathWith(() => answer)(requestFor('/x', 'h', method), '192.0.2.1');
  const head = 'HTTP/1.1 410 Gone\r\nx-a: b\r\nContent-Length: 3\r\n';
  expect(written({ kind: 'page', page, stored: 'stored' })).toEqual({ head, body: '<p>', waits: false });
  expect(written({ kind: 'page', page, stored: 'after_tick' }, 'HEAD')).toEqual({
    head,
    body: '',
    waits: true,
  });
  expect(written({ kind: 'app_server', found: null })).toBeNull();
  const until = Promise.resolve();
  expect(written({ kind: 'wait', until })).toBe(until);
});
