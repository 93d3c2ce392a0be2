import { expect, test } from 'bun:test';
import { lazy } from './lazy.ts';

test('a value is made when it is first asked for, and only once', () => {
  let made = 0;
  const value = lazy(() => ({ number: ++made }));
  expect(made).toBe(0);
  expect(value()).toBe(value());
  expect(made).toBe(1);
});

test('what could not be made is tried again', () => {
  let tries = 0;
  const value = lazy(() => {
    if (++tries === 1) throw new Error('not yet');
    return 'made';
  });
  expect(value).toThrow('not yet');
  expect(value()).toBe('made');
});
