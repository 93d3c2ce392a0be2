import { expect, test } from 'bun:test';
import { Log } from './log.ts';

test('warnings and errors are counted by event, even those that are suppressed or not written', () => {
  const lines: string[] = [];
  const log = new Log('error', (line) => void lines.push(line));
  for (let call = 0; call < 3; call++) log.warn('store away', { error: `no. ${call}` });
  log.warnEach('certificate not issued', { host: 'one.example.com' });
  log.error('fold failed', new Error('why'));
  log.info('open files', {});
  expect(lines).toHaveLength(1);
  expect(log.counts()).toEqual([
    { level: 'warn', event: 'store away', count: 3 },
    { level: 'warn', event: 'certificate not issued', count: 1 },
    { level: 'error', event: 'fold failed', count: 1 },
  ]);
});

test('control characters are escaped, including those above ASCII, which terminals obey', () => {
  const lines: string[] = [];
  const log = new Log('info', (line) => void lines.push(line));
  const host = 'evil\u009b31m\u0085\u007f\u2028.example\u001b[31m';
  log.warn('webhook not sent', { host });
  log.lines(`${JSON.stringify({ host })}\n`);
  const escaped = '"host":"evil\\u009b31m\\u0085\\u007f\\u2028.example\\u001b[31m"';
  expect(lines).toEqual([expect.stringContaining(escaped), `{${escaped}}\n`]);
  expect(JSON.parse(lines[0] ?? '').host).toBe(host);
});

test("events derived from input can't fill the memory", () => {
  const log = new Log('error', () => {});
  for (let number = 0; number < 1_000; number++) log.warn(`event ${number}`);
  expect(log.counts()).toHaveLength(200);
});
