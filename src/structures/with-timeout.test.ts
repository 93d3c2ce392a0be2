import { expect, test } from 'bun:test';
import { waitAtMost, withTimeout } from './with-timeout.ts';

const never = () => Promise.withResolvers<never>().promise;
const long = 2 ** 30;

test('the outcome is that of a promise that settles in time', async () => {
  const late = () => expect.unreachable();
  expect(await withTimeout(long, Promise.resolve(1), late)).toBe(1);
  await expect(withTimeout(long, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken');
  await waitAtMost(long, Promise.resolve());
  await expect(waitAtMost(long, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

test('later it is that of `late`, which may throw', async () => {
  expect(await withTimeout(1, never(), () => 'late')).toBe('late');
  const refuse = () => {
    throw new Error('late');
  };
  await expect(withTimeout(1, never(), refuse)).rejects.toThrow('late');
  expect(await waitAtMost(1, never())).toBeUndefined();
});

test('a promise that is rejected later is handled', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  expect(await withTimeout(1, promise, () => 'late')).toBe('late');
  reject(new Error('too late'));
  // The runner reports unhandled rejections.
  await Bun.sleep(1);
});
