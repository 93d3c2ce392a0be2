import { describe, expect, test } from 'bun:test';
import { Slots } from './slots.ts';

const limits = { overall: 8, perOrganization: 4, perHost: 5, perTarget: 3 };
const [a, b, c, d] = ['https://a.example/', 'https://b.example/', 'https://c.example/', 'https://d.example/'];
const call = (target_url: string, organization_id: number) => ({ target_url, organization_id });

describe('slots', () => {
  test('are shared equally among targets, and none gets more than its maximum', () => {
    const slots = new Slots(limits);
    expect(slots.shares([a])).toEqual([{ target: a, max: 3 }]);
    expect(slots.shares([a, b, c, d])).toEqual([a, b, c, d].map((target) => ({ target, max: 2 })));
  });

  test('of a busy target are what remains of its maximum', () => {
    const slots = new Slots(limits);
    for (let count = 0; count < 3; count++) slots.take(call(a, 1));
    expect(slots.shares([a, b])).toEqual([{ target: b, max: 3 }]);
    slots.release(call(a, 1));
    expect(slots.shares([a, b])).toEqual([
      { target: a, max: 1 },
      { target: b, max: 3 },
    ]);
  });

  test('are also limited per host, and another port is another host', () => {
    const slots = new Slots(limits);
    const paths = ['https://a.example/1', 'https://a.example/2', 'https://a.example/3'];
    const max = slots.shares(paths).reduce((sum, share) => sum + share.max, 0);
    expect(max).toBe(5);
    for (const target of paths.slice(0, 2))
      for (let count = 0; count < 3; count++) slots.take(call(target, 1));
    expect(slots.shares([...paths, 'https://a.example:444/'])).toEqual([
      { target: 'https://a.example:444/', max: 2 },
    ]);
  });

  test('never exceed the total, however many targets there are', () => {
    const slots = new Slots(limits);
    const targets = Array.from({ length: 50 }, (_, index) => `https://host-${index}.example/`);
    expect(slots.shares(targets)).toHaveLength(8);
    for (const [index, target] of targets.slice(0, 8).entries()) slots.take(call(target, index));
    expect([slots.free, slots.shares(targets)]).toEqual([0, []]);
  });

  test('are also limited per organization, including those being assigned', () => {
    const slots = new Slots(limits);
    for (const target of [a, b, c]) slots.take(call(target, 1));
    expect(slots.fullOrganizations([])).toEqual([]);
    expect(slots.fullOrganizations([call(d, 1)])).toEqual([1]);
    slots.take(call(d, 1));
    expect(slots.fullOrganizations([])).toEqual([1]);
    slots.release(call(a, 1));
    expect(slots.fullOrganizations([])).toEqual([]);
  });
});
