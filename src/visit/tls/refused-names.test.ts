import { expect, test } from 'bun:test';
import { RefusedNames } from './refused-names.ts';

const host = 'go.example.org';

function namesOf(load: () => Promise<boolean>) {
  const clock = { now: 0 };
  return { clock, names: new RefusedNames(load, () => clock.now) };
}

test('a name is looked up again after a minute, and when it has changed', async () => {
  let isRefused = true;
  const { names, clock } = namesOf(async () => isRefused);
  expect(await names.isRefused(host)).toBe(true);
  isRefused = false;
  expect(names.isRefused(host)).toBe(true);
  clock.now += 60_000;
  expect(await names.isRefused(host)).toBe(false);
  isRefused = true;
  expect(names.isRefused(host)).toBe(false);
  names.forget(host);
  expect(await names.isRefused(host)).toBe(true);
});

test('while the store is away, what was known of a name still holds', async () => {
  let isUnavailable = false;
  const { names, clock } = namesOf(async () => {
    if (isUnavailable) throw new Error('away');
    return true;
  });
  await names.isRefused(host);
  isUnavailable = true;
  clock.now += 60_000;
  expect(await names.isRefused(host)).toBe(true);
  expect(names.isRefused(host)).toBe(true);
  expect(await names.isRefused('new.example.org')).toBe(false);
});
