import { describe, expect, test } from 'bun:test';
import { StartProblem } from '../start-problem.ts';
import { dnsNotice } from './dns-notice.ts';
import { readServeArguments, workerArguments } from './serve-arguments.ts';

describe('serve', () => {
  test('alone changes no setting', () => {
    const environment = { PORT: '8080' };
    expect(readServeArguments([], environment)).toEqual({ host: null, ports: null, environment });
  });

  test('with a host turns on HTTPS for it, unless the environment says otherwise', () => {
    const settings = { BASE_URL: 'https://links.example.com', HTTPS: 'auto' };
    expect(readServeArguments(['Links.example.com'], { PORT: '8443' }).environment).toEqual({
      PORT: '8443',
      ...settings,
    });
    expect(readServeArguments(['links.example.com'], { ...settings, HTTPS: 'files' }).environment.HTTPS).toBe(
      'files',
    );
    expect(readServeArguments(['bücher.example'], {}).environment.BASE_URL).toBe(
      'https://xn--bcher-kva.example',
    );
    expect(readServeArguments(['links.example.com'], { HTTPS: '', BASE_URL: '' }).environment).toEqual(
      settings,
    );
  });

  test('passes the host and the ports on to its workers', () => {
    const [, ...parameters] = workerArguments('links.example.com', '443,80');
    const read = readServeArguments(parameters, {});
    expect([read.host, read.ports]).toEqual(['links.example.com', { port: 443, httpPort: 80 }]);
    const [, ...withoutHost] = workerArguments(null, '3000,');
    expect(readServeArguments(withoutHost, {})).toMatchObject({
      host: null,
      ports: { port: 3000, httpPort: null },
    });
  });

  test.each([
    [
      ['https://links.example.com'],
      {},
      /^"https:\/\/links\.example\.com" is no host\. Give its name alone, such as links\.example\.com\.$/,
    ],
    [['links.example.com/x'], {}, /is no host/],
    ...['links example', 'user@links.example', 'links.example?x', 'links.example#x', ''].map(
      (host) => [[host], {}, /is no host/] as const,
    ),
    [['a.example', 'b.example'], {}, /takes a host and nothing else, and was given "a\.example b\.example"/],
    [['--fast'], {}, /takes a host and nothing else/],
    [
      ['a.example'],
      { BASE_URL: 'https://b.example' },
      /BASE_URL is "https:\/\/b\.example", and .* Leave one of them out\.$/,
    ],
  ])('refuses %j with a message', (parameters, environment, message) => {
    expect(() => readServeArguments(parameters, environment)).toThrow(StartProblem);
    expect(() => readServeArguments(parameters, environment)).toThrow(message);
  });
});

test('the DNS notice shows what the DNS has for the host, and which records to add', () => {
  const ownAddresses = ['192.0.2.7', '2001:db8::7'];
  const notice = (found: readonly string[] | null) => dnsNotice('links.example.com', found, ownAddresses);
  expect(notice(null)).toContain('gave no answer about links.example.com');
  expect(notice([])).toContain('not in the DNS yet');
  expect(notice([])).toContain('links.example.com.  A  192.0.2.7');
  expect(notice([])).toContain('links.example.com.  AAAA  2001:db8::7');
  expect(notice(['192.0.2.7'])).toBe('The DNS leads links.example.com to this machine (192.0.2.7).');
  expect(notice(['192.0.2.7', '192.0.2.9'])).toContain(
    "to 192.0.2.9, which this machine doesn't have itself",
  );
  for (const addresses of [[], ['10.0.0.7', 'fd00::7', 'fe80::1']])
    expect(dnsNotice('a.example', [], addresses)).toEndWith(
      'a.example.  A  <the address at which this machine is reached>',
    );
});
