import { expect, test } from 'bun:test';
import { serverName, serversOf } from './database-url.ts';

test('one server has one address', () => {
  expect(serversOf('postgres://u:p@h/d')).toEqual(['postgres://u:p@h/d']);
  expect(serversOf('postgresql://[::1]:5433/d?sslmode=require')).toEqual([
    'postgresql://[::1]:5433/d?sslmode=require',
  ]);
});

test('several servers share user, password, database and parameters, and have their own ports', () => {
  expect(
    serversOf(
      'postgres://u:p%40,x@one:5433,two,[::1]:5434/d?target_session_attrs=read-write&sslmode=require',
    ),
  ).toEqual([
    'postgres://u:p%40,x@one:5433/d?sslmode=require',
    'postgres://u:p%40,x@two/d?sslmode=require',
    'postgres://u:p%40,x@[::1]:5434/d?sslmode=require',
  ]);
});

test.each([
  'mysql://h/d',
  'postgres://',
  'postgres://one,/d',
  'postgres://one,two:port/d',
  'postgres://one,two/d?target_session_attrs=standby',
])('%s names no writable servers', (text) => {
  expect(serversOf(text)).toBeNull();
});

test('a server is shown without its password', () => {
  expect(serverName('postgres://u:hunter2@one/d')).toBe('one:5432');
  expect(serverName('postgres://u:hunter2@[::1]:5433/d')).toBe('[::1]:5433');
});
