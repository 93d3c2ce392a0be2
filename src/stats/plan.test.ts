import { expect, test } from 'bun:test';
import { dimensions } from '../rules/click-fields.ts';
import { classesNamed, type Filters, type Grouping, hasOnlyClicks, noValue, planFor } from './plan.ts';

type FilterIds = Partial<Record<Exclude<Grouping, 'class'>, number>>;

const plan = (filters: FilterIds, className?: string, groupBy?: Grouping) =>
  planFor(
    new Map(Object.entries(filters)) as Filters,
    className === undefined ? undefined : classesNamed(className),
    groupBy,
  );

const names: readonly string[] = dimensions;

const inRollUps: [FilterIds, string | undefined, Grouping | undefined, string][] = [
  [{}, undefined, undefined, 'total'],
  [{}, undefined, 'class', 'total'],
  [{}, 'bot', undefined, 'total'],
  [{}, 'bot', 'class', 'total'],
  [{}, undefined, 'country', 'country'],
  [{}, 'click', 'country', 'country'],
  [{ country: 7 }, undefined, undefined, 'country'],
  [{ country: 7 }, undefined, 'country', 'country'],
  [{ country: 7 }, 'click', 'class', 'country'],
  [{}, undefined, 'reason', 'reason'],
  [{}, 'bot', 'reason', 'reason'],
  [{ reason: 3 }, undefined, 'class', 'reason'],
  [{ reason: 3 }, 'page', undefined, 'reason'],
];

test.each(inRollUps)(
  '%j of %s by %s is answered from the roll-ups',
  (filters, className, groupBy, dimension) => {
    expect(plan(filters, className, groupBy)).toMatchObject({
      kind: 'rollups',
      dimension: names.indexOf(dimension),
    });
  },
);

const inLedger: [FilterIds, string | undefined, Grouping | undefined][] = [
  [{ country: 7, device: 1 }, undefined, undefined],
  [{ country: 7 }, undefined, 'device'],
  [{ country: 7 }, 'bot', undefined],
  [{}, 'human', 'country'],
  [{ country: 7 }, undefined, 'reason'],
  [{ reason: 3 }, undefined, 'country'],
  [{}, 'click', 'reason'],
  [{}, 'human', 'reason'],
  [{ reason: 3 }, 'click', undefined],
  [{ reason: 3 }, 'human', 'reason'],
];

test.each(inLedger)('%j of %s by %s needs individual hits', (filters, className, groupBy) => {
  expect(plan(filters, className, groupBy).kind).toBe('hits');
});

test('dimensions that only clicks have are queried from clicks', () => {
  expect(hasOnlyClicks(plan({ country: 7 }))).toBe(true);
  expect(hasOnlyClicks(plan({ country: 7, device: 1 }))).toBe(true);
  expect(hasOnlyClicks(plan({}))).toBe(false);
  expect(hasOnlyClicks(plan({ country: 7 }, 'bot'))).toBe(false);
  expect(hasOnlyClicks(plan({ country: 7 }, undefined, 'reason'))).toBe(false);
});

test("a class that doesn't exist has no hits", () => {
  expect(classesNamed('unicorn')).toEqual([noValue]);
  expect(classesNamed('human')).toEqual([0, 1]);
});
