import { expect, test } from 'bun:test';
import { forwardTo, type QueryForwarding } from './forwarding.ts';

const forward = (to: string, search: string, forwarding: QueryForwarding, rest = '') =>
  forwardTo(to, { search, rest }, forwarding);

test.each<[string, QueryForwarding, string, string, string]>([
  ['none', 'none', 'https://e.com/a?b=1#c', '?x=1', 'https://e.com/a?b=1#c'],
  ['one, before the fragment', 'merge', 'https://e.com/a#c', '?x=1', 'https://e.com/a?x=1#c'],
  ['after a host without a path', 'merge', 'https://e.com', '?x=1', 'https://e.com?x=1'],
  [
    'only those that are missing',
    'merge',
    'https://e.com/?b=1&b=2',
    '?x=1&b=3&x=2',
    'https://e.com/?b=1&b=2&x=1&x=2',
  ],
  [
    'in place of existing ones',
    'override',
    'https://e.com/?b=1&a=0&b=2',
    '?x=1&b=3&b=4',
    'https://e.com/?a=0&x=1&b=3&b=4',
  ],
  ['by decoded names', 'merge', 'https://e.com/?a%20b=1', '?a+b=2&c=', 'https://e.com/?a%20b=1&c='],
  ['without the marker', 'override', 'https://e.com/?qr=1', '?qr', 'https://e.com/?qr=1'],
  ['without the marker in between', 'merge', 'https://e.com/', '?a&qr=x&%71r&b', 'https://e.com/?a&b'],
  ['empty ones', 'merge', 'https://e.com/?', '?&&', 'https://e.com/?'],
  ['with an invalid escape', 'merge', 'https://e.com/?%zz=1', '?%zz=2&%=1', 'https://e.com/?%zz=1&%=1'],
  [
    'with characters that are invalid in a header',
    'merge',
    'https://e.com/',
    `?a="<'#\r\n{é`,
    'https://e.com/?a=%22%3C%27%23%0D%0A%7B%C3%A9',
  ],
  ['that begin with one of these', 'merge', 'https://e.com/', '?é=1', 'https://e.com/?%C3%A9=1'],
  ['with a lone surrogate', 'merge', 'https://e.com/', '?a=\ud800', 'https://e.com/?a=%EF%BF%BD'],
])('parameters are forwarded: %s (%s)', (_, forwarding, to, search, expected) => {
  expect(forward(to, search, forwarding)).toBe(expected);
});

test.each([
  ['https://e.com', '/more/', 'https://e.com/more/'],
  ['https://e.com/', '/more', 'https://e.com/more'],
  ['https://e.com/a?b=1#c', '/more/of', 'https://e.com/a/more/of?b=1#c'],
  ['https://e.com/a', `/it's "`, 'https://e.com/a/it%27s%20%22'],
  ['https://e.com/', '/é', 'https://e.com/%C3%A9'],
  ['https://e.com/a', '', 'https://e.com/a'],
])('a path is appended: %s and %s', (to, rest, expected) => {
  expect(forward(to, '', 'none', rest)).toBe(expected);
});
