import { expect, test } from 'bun:test';
import { loadConfig } from './load.ts';

test.each([
  ['', null],
  ['lb.example.com', 'lb.example.com'],
  ['LB.Example.com.', 'lb.example.com'],
  ['192.0.2.1', ['192.0.2.1']],
  ['192.0.2.1, 2001:db8::1', ['192.0.2.1', '2001:db8::1']],
])('DOMAIN_TARGET %p is read', (input, target) => {
  expect(loadConfig({ DOMAIN_TARGET: input }).domainTarget).toEqual(target);
});

test.each([
  'a b',
  'https://lb.example.com',
  'lb.example.com:443',
  'lb.example.com,192.0.2.1',
  'lb',
  '192.0.2',
  '192.0.2.1/24',
  ',',
])('DOMAIN_TARGET %p stops the start', (input) => {
  expect(() => loadConfig({ DOMAIN_TARGET: input })).toThrow('DOMAIN_TARGET is');
});

test.each([
  ['', []],
  ['192.0.2.53', ['192.0.2.53']],
  [
    '192.0.2.53:5353, [2001:db8::53]:53, 2001:db8::54,[2001:db8::55]',
    ['192.0.2.53:5353', '[2001:db8::53]:53', '2001:db8::54', '[2001:db8::55]'],
  ],
])('DNS_SERVERS %p is read', (input, servers) => {
  expect(loadConfig({ DNS_SERVERS: input }).dnsServers).toEqual(servers);
});

test.each([
  'dns.example.com',
  '192.0.2.53:0',
  '192.0.2.53:99999',
  '192.0.2',
  '[192.0.2.53]:53',
  '2001:db8::g',
  '192.0.2.53:',
])('DNS_SERVERS %p stops the start', (input) => {
  expect(() => loadConfig({ DNS_SERVERS: input })).toThrow('DNS_SERVERS is');
});
