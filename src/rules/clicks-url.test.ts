import { expect, test } from 'bun:test';
import { clickServerOf } from './clicks-url.ts';

test('a ClickHouse address becomes that of its HTTP interface', () => {
  expect(clickServerOf('clickhouse://ann:p%40ss@clicks.example.com/linnet')).toEqual({
    origin: 'http://clicks.example.com:8123',
    user: 'ann',
    password: 'p@ss',
    database: 'linnet',
  });
  expect(clickServerOf('clickhouses://clicks.example.com/linnet')?.origin).toBe(
    'https://clicks.example.com:8443',
  );
  expect(clickServerOf('clickhouse://[::1]:9000/linnet')?.origin).toBe('http://[::1]:9000');
});

test.each([
  '',
  'clickhouse',
  'http://host/linnet',
  'clickhouse://host',
  'clickhouse://host/',
  'clickhouse:///linnet',
  'clickhouse://host/a-b',
  'clickhouse://host/a/b',
  'clickhouse://host/linnet?secure=true',
  'clickhouse://%E0%A4%A@host/linnet',
])('"%s" is not an address', (text) => {
  expect(clickServerOf(text)).toBeNull();
});
