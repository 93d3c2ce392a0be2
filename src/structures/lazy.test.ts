import { expect, test } from 'bun:test';
import { lazy } from './lazy.ts';

test('a value is created on the first access, and only once', () => {
  let created = 0;
  const value = lazy(() => ({ number: ++created }));
  expect(created).toBe(0);
  expect(value()).toBe(value());
  expect(created).toBe(1);
});

test('a creation that failed is tried again', () => {
  let tries = 0;
  const value = lazy(() => {
    if (++tries === 1) throw new Error('not yet');
    return 'created';
  });
  expect(value).toThrow('not yet');
  expect(value()).toBe('created');
});
