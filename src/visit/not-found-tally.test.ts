import { beforeEach, describe, expect, test } from 'bun:test';
import { dayLength, hourLength, minuteLength } from '../rules/durations.ts';
import { NotFoundTally } from './not-found-tally.ts';
import { RequestVisit } from './request-visit.ts';

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const trust = { knowsScheme: false };

let now: number;
let tally: NotFoundTally;

beforeEach(() => {
  now = Date.UTC(2030, 0, 31, 12);
  tally = new NotFoundTally(trust, () => now);
});

interface VisitOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly domainId?: number;
}

function visit(
  path: string,
  network = '203.0.113.0',
  { method = 'GET', headers = {}, domainId = 7 }: VisitOptions = {},
) {
  const request = new Request(`http://x${path}`, { method, headers: { 'user-agent': browser, ...headers } });
  const sent = {
    request,
    host: 'x',
    path,
    search: '',
    address: () => network,
    network: () => network,
    isProxied: () => false,
  };
  tally.count(new RequestVisit(sent, domainId));
}

const taken = () => tally.take().map(({ suffix, visits }) => [suffix, visits]);

describe('requests for unknown addresses', () => {
  test('are counted by domain, day and address, for all networks together, and returned once', () => {
    visit('/sumer');
    visit('/sumer/');
    visit('/sumer', '198.51.100.0');
    visit('/sumer', '198.51.100.0', { domainId: 8 });
    now += 12 * hourLength;
    visit('/sumer', '192.0.2.0');
    const day = Date.UTC(2030, 0, 31) / dayLength;
    expect(tally.take()).toEqual([
      { domainId: 7, day, suffix: 'sumer', visits: 3 },
      { domainId: 8, day, suffix: 'sumer', visits: 1 },
      { domainId: 7, day: day + 1, suffix: 'sumer', visits: 1 },
    ]);
    expect(tally.take()).toEqual([]);
    visit('/sumer', '192.0.2.0');
    expect(taken()).toEqual([['sumer', 1]]);
  });

  test("don't include machines, prefetches, HEAD, and paths that no link could have", () => {
    visit('/a', undefined, { headers: { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' } });
    visit('/a', undefined, { headers: { 'user-agent': 'curl/8.5.0' } });
    visit('/a', undefined, { headers: { 'sec-purpose': 'prefetch' } });
    visit('/a', undefined, { method: 'HEAD' });
    visit('/a', undefined, { method: 'POST' });
    visit('/');
    visit('/a//b');
    visit('/%00');
    visit('/app', undefined, { domainId: 0 });
    expect(taken()).toEqual([]);
  });

  test("don't include those that scanners make on every site", () => {
    visit('/wp-login.php');
    visit('/.env', '198.51.100.0');
    visit('/shop/.git/config', '192.0.2.0');
    expect(taken()).toEqual([]);
  });

  test.each([
    ['ten minutes', 10 * minuteLength],
    ['the clock was set back', -hourLength],
  ])('are subtracted for a network that tries many addresses, which counts again after %s', (_, passed) => {
    for (const path of ['/a1', '/a2', '/a3', '/a4', '/a5']) visit(path);
    visit('/a1', '198.51.100.0');
    visit('/a6');
    visit('/a1');
    expect(taken()).toEqual([['a1', 1]]);
    visit('/a1');
    expect(taken()).toEqual([]);
    now += passed;
    expect(taken()).toEqual([]);
    visit('/a1');
    expect(taken()).toEqual([['a1', 1]]);
  });

  test('take bounded memory, even from many visitors', () => {
    for (let network = 0; network < 10_000; network++)
      visit(`/made-up-${network}`, `2001:db8:0:${network}::`);
    expect(taken().length).toBe(2_000);
  });
});
