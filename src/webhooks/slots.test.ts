import { describe, expect, test } from 'bun:test';
import { Slots } from './slots.ts';

const limits = { overall: 8, perOrganization: 6, perHost: 5, perTarget: 3 };
const [a, b, c, d] = ['https://a.example/', 'https://b.example/', 'https://c.example/', 'https://d.example/'];
const queue = (target_url: string, organization_id = 1) => ({ target_url, organization_id });

/** Takes that many slots for each of these queues. */
function take(slots: Slots, count: number, ...queues: ReturnType<typeof queue>[]): void {
  for (const taken of queues) for (let index = 0; index < count; index++) slots.take(taken);
}

describe('slots', () => {
  test('are shared equally among targets, and none gets more than its maximum', () => {
    const slots = new Slots({ ...limits, perOrganization: 8 });
    expect(slots.shares([queue(a)])).toEqual([{ queue: queue(a), max: 3 }]);
    expect(slots.shares([a, b, c, d].map((target) => queue(target)))).toEqual(
      [a, b, c, d].map((target) => ({ queue: queue(target), max: 2 })),
    );
  });

  test('of a busy target are limited by its calls in flight, whichever organization made them', () => {
    const slots = new Slots(limits);
    take(slots, 3, queue(a));
    expect(slots.shares([queue(a), queue(a, 2), queue(b)])).toEqual([{ queue: queue(b), max: 3 }]);
    slots.release(queue(a));
    expect(slots.shares([queue(a), queue(b)])).toEqual([
      { queue: queue(a), max: 1 },
      { queue: queue(b), max: 3 },
    ]);
  });

  test('are also limited per host, and another port is another host', () => {
    const slots = new Slots(limits);
    const paths = ['https://a.example/1', 'https://a.example/2', 'https://a.example/3'].map((target) =>
      queue(target),
    );
    const max = slots.shares(paths).reduce((sum, share) => sum + share.max, 0);
    expect(max).toBe(5);
    take(slots, 2, ...paths.slice(0, 2));
    take(slots, 1, queue('https://a.example/4'));
    const otherPort = queue('https://a.example:444/');
    expect(slots.shares([...paths, otherPort])).toEqual([{ queue: otherPort, max: 1 }]);
  });

  test('never exceed the total, however many targets there are', () => {
    const slots = new Slots(limits);
    const queues = Array.from({ length: 50 }, (_, index) => queue(`https://host-${index}.example/`, index));
    expect(slots.shares(queues)).toHaveLength(8);
    take(slots, 1, ...queues.slice(0, 8));
    expect([slots.free, slots.shares(queues)]).toEqual([0, []]);
  });

  test('are shared equally among organizations, however many targets each has, and none gets more than its maximum', () => {
    const slots = new Slots(limits);
    const many = Array.from({ length: 50 }, (_, index) => queue(`https://host-${index}.example/`));
    const sum = (organization: number) =>
      slots
        .shares([...many, queue(a, 2), queue(b, 2)])
        .filter((share) => share.queue.organization_id === organization)
        .reduce((total, { max }) => total + max, 0);
    expect([sum(1), sum(2)]).toEqual([4, 4]);
    expect(slots.shares(many).reduce((total, { max }) => total + max, 0)).toBe(6);
    take(slots, 1, ...many.slice(0, 6));
    expect([sum(1), sum(2)]).toEqual([0, 2]);
  });

  test('go first to the organization with the fewest calls in flight', () => {
    const slots = new Slots(limits);
    take(slots, 3, queue(a), queue(b));
    take(slots, 1, queue(c, 2));
    slots.release(queue(a));
    expect(slots.shares([queue(a), queue(c, 2), queue(d, 3)])).toEqual([
      { queue: queue(d, 3), max: 1 },
      { queue: queue(c, 2), max: 1 },
    ]);
  });
});
