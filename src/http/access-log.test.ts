import { expect, test } from 'bun:test';
import { AccessLog } from './access-log.ts';

test('control characters are escaped, including those above ASCII, which terminals obey', () => {
  const lines: string[] = [];
  const log = new AccessLog((some) => lines.push(some));
  const host = 'evil\u009b31m\u0085\u007f\u2028.example';
  const rest = { request: 'r', method: 'GET', status: 404, milliseconds: 1 };
  log.note({ ...rest, host, path: '/a\u001b[31m' });
  log.flush();
  expect(lines.join('')).toContain(
    '"host":"evil\\u009b31m\\u0085\\u007f\\u2028.example","path":"/a\\u001b[31m"',
  );
  expect(JSON.parse(lines.join('')).host).toBe(host);
});
