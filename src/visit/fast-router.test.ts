import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { reservedSegments } from '../rules/suffix.ts';
import { type PlainRequest, readPlainRequest } from './connection/plain-request.ts';
import type { ExpressAnswer } from './connection/wire-answer.ts';
import { fastRouter } from './fast-router.ts';

const answer: ExpressAnswer = { head: '', body: '', waits: false };

function visitOf(path: string, host: string): PlainRequest {
  const text = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  return readPlainRequest(Buffer.from(text), text, 0) as PlainRequest;
}

const doorWith = (service: ReadonlySet<string>, seen: string[] = []) =>
  fastRouter({
    trustedProxies: { kind: 'hops', count: 0 },
    domainOf: (host) => (host === 'unknown.example' ? null : host.length),
    service,
    link: (visit, domainId, host) => {
      seen.push(`${host} ${domainId} ${visit.path}`);
      return answer;
    },
  });

const segment = fc.oneof(
  fc.constantFrom(...reservedSegments),
  fc.string({ unit: fc.constantFrom('a', 'b', 'q', '.', '_'), minLength: 1, maxLength: 3 }),
);

test("the service's own paths, and no others, are left to the front door", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(segment, { maxLength: 8 }),
      fc.array(segment, { maxLength: 3 }),
      (own, parts) => {
        const door = doorWith(new Set(own));
        const first = parts[0] ?? '';
        for (const end of ['', '/'])
          expect(door(visitOf(`/${parts.join('/')}${end}`, 'h'), '192.0.2.1')).toBe(
            own.includes(first) ? null : answer,
          );
      },
    ),
  );
});

test('each visit is for its own host, whoever came before', () => {
  const seen: string[] = [];
  const door = doorWith(new Set(), seen);
  const hosts = [
    'a.example',
    'a.example',
    'bb.example',
    'a.example',
    'A.example:80',
    'unknown.example',
    ']',
    'a.example',
    ']',
  ];
  for (const host of hosts) door(visitOf('/x', host), '192.0.2.1');
  expect(seen).toEqual([
    'a.example 9 /x',
    'a.example 9 /x',
    'bb.example 10 /x',
    'a.example 9 /x',
    'a.example 9 /x',
    'a.example 9 /x',
  ]);
});
