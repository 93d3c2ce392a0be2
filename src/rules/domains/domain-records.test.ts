import { expect, test } from 'bun:test';
import {
  type Answer,
  type DomainFindings,
  type DomainTarget,
  maskPrivateAddresses,
  notQueried,
} from './domain-findings.ts';
import { domainProblem } from './domain-problem.ts';
import { recordsOf } from './domain-records.ts';

const proof = 'linnet-proof=abc';
const found = (...values: string[]): Answer => ({ kind: 'found', values });
const none: Answer = { kind: 'none' };
const unknown: Answer = { kind: 'unknown' };
const nothing: DomainFindings = { proof: none, cname: none, a: none, aaaa: none };
const proved = { ...nothing, proof: found(proof) };
const target: DomainTarget = { host: 'links.example.com', addresses: ['192.0.2.1', '2001:db8::1'] };

const states = (host: string, findings: Partial<DomainFindings>, to = target) =>
  recordsOf(host, proof, to, { ...nothing, ...findings }).map(
    ({ type, value, state }) => `${type} ${value} ${state}`,
  );

const problemOf = (
  findings: Partial<DomainFindings>,
  fields: object = {},
  to = target,
  host = 'go.example.org',
) => {
  const all = { ...proved, ...findings };
  return domainProblem({
    host,
    target: to,
    findings: all,
    records: recordsOf(host, proof, to, all),
    verifiedAt: 1,
    checkedAt: 1,
    goneSince: null,
    releasedAt: null,
    isTaken: false,
    ...fields,
  });
};

test('a subdomain is an alias of the host, by a CNAME or by the same addresses', () => {
  const alias = (findings: Partial<DomainFindings>) => states('go.example.org', findings)[1];
  for (const findings of [
    { cname: found('links.example.com') },
    { cname: found('LINKS.example.com.') },
    { a: found('192.0.2.1') },
    { aaaa: found('2001:DB8:0:0::1') },
    { cname: found('elsewhere.example.net'), a: found('192.0.2.1') },
  ])
    expect(alias(findings)).toBe('CNAME links.example.com ok');
  expect(alias({ cname: found('elsewhere.example.net') })).toEndWith('wrong');
  expect(alias({ a: found('198.51.100.7') })).toEndWith('wrong');
  expect(alias({})).toEndWith('missing');
  expect(alias({ aaaa: unknown })).toEndWith('unknown');
  expect(alias({ cname: unknown, a: found('192.0.2.1') })).toEndWith('ok');
});

test('a registered domain has the addresses of the host, if they are known', () => {
  expect(states('example.org', { a: found('192.0.2.1'), aaaa: found('2001:db8::2') })).toEqual([
    'TXT linnet-proof=abc missing',
    'A 192.0.2.1 ok',
    'AAAA 2001:db8::1 wrong',
  ]);
  expect(states('example.org', {}, { host: 'links.example.com', addresses: [] })[1]).toBe(
    'CNAME links.example.com missing',
  );
});

test('only the proof is required to verify a domain', () => {
  const required = (host: string) =>
    recordsOf(host, proof, target, nothing).map(({ type, is_required }) => [type, is_required]);
  expect(required('go.example.org')).toEqual([
    ['TXT', true],
    ['CNAME', false],
  ]);
  expect(required('example.org')).toEqual([
    ['TXT', true],
    ['A', false],
    ['AAAA', false],
  ]);
});

test('if the operator sets addresses, every domain gets those', () => {
  const to = { host: null, addresses: ['192.0.2.7'] };
  for (const host of ['example.org', 'go.example.org'])
    expect(states(host, { proof: unknown, a: found('192.0.2.7') }, to)).toEqual([
      'TXT linnet-proof=abc unknown',
      'A 192.0.2.7 ok',
    ]);
});

test('the proof is one of several texts, even with quotation marks from a form', () => {
  const state = (answer: Answer) =>
    recordsOf('go.example.org', proof, target, { ...nothing, proof: answer })[0]?.state;
  expect(state(found('v=spf1', proof))).toBe('ok');
  expect(state(found(` "${proof}" `))).toBe('ok');
  expect(state(found(`${proof}x`, `x${proof}`, proof.toUpperCase()))).toBe('wrong');
  expect([state(none), state(unknown)]).toEqual(['missing', 'unknown']);
});

test('no problem is reported if all records are right', () => {
  expect(problemOf({ cname: found('links.example.com'), a: found('192.0.2.1') })).toBeNull();
  expect(
    problemOf({ a: found('192.0.2.1'), aaaa: found('2001:db8::1') }, {}, target, 'example.org'),
  ).toBeNull();
  expect(problemOf(notQueried, { checkedAt: null })).toBeNull();
});

test.each([
  [
    'a domain that was not checked yet',
    notQueried,
    { verifiedAt: null, checkedAt: null },
    'not looked up yet',
  ],
  [
    'no proof yet',
    { proof: none },
    { verifiedAt: null },
    'There is no TXT record at _linnet.go.example.org yet',
  ],
  ['another text', { proof: found('x') }, { verifiedAt: null }, '"x" was seen'],
  ["a DNS server that doesn't answer", { proof: unknown }, {}, 'The domain stays as it is'],
  [
    'a proof that was removed',
    { proof: none },
    { goneSince: 0 },
    'is gone. Put it back before 1970-01-04 00:00 UTC',
  ],
  ['a proof that was replaced', { proof: found('x') }, { goneSince: 0 }, 'Put it back before'],
  ['a domain that was given up', { proof: none }, { verifiedAt: null, releasedAt: 5 }, 'was given up'],
  ['a name of another organization', {}, { verifiedAt: null, isTaken: true }, 'Another organization has'],
  ['no address', {}, {}, 'Add the CNAME record to links.example.com'],
  ['another address', { a: found('198.51.100.7') }, {}, 'leads to "198.51.100.7", not to links.example.com'],
  [
    'two other addresses',
    { a: found('198.51.100.7', '198.51.100.8') },
    {},
    'leads to "198.51.100.7" and "198.51.100.8", not to',
  ],
  [
    'many other addresses',
    { a: found('198.51.100.7', '198.51.100.8', '198.51.100.9') },
    {},
    'leads to "198.51.100.7", "198.51.100.8" and 1 more, not to',
  ],
  ['another name', { cname: found('shop.example.net') }, {}, 'leads to "shop.example.net"'],
  ['an additional address', { a: found('192.0.2.1', '198.51.100.7') }, {}, 'but also to "198.51.100.7"'],
  ['an address that can not be looked up', { a: unknown }, {}, 'did not answer for go.example.org'],
] as const)('%s is reported with a message', (_, findings, fields, message) => {
  expect(problemOf(findings, fields)).toContain(message);
});

test('internal addresses are not shown to users', () => {
  const findings = {
    ...nothing,
    a: found('10.1.2.3', '127.0.0.1', '192.0.2.9'),
    aaaa: found('fd00::1', 'fe80::1', '2001:db8::1'),
  };
  expect(maskPrivateAddresses(findings, [])).toMatchObject({
    a: found('private address', '192.0.2.9'),
    aaaa: found('private address', '2001:db8::1'),
  });
  expect(maskPrivateAddresses(findings, ['10.1.2.3', 'FD00:0::1'])).toMatchObject({
    a: found('10.1.2.3', 'private address', '192.0.2.9'),
    aaaa: found('fd00::1', 'private address', '2001:db8::1'),
  });
});
