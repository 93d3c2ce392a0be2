import { expect, test } from 'bun:test';
import { eventually } from '../../../test/support/eventually.ts';
import { type Slot, UpstreamSlots } from './upstream-slots.ts';

const networkOf = (peer: string) => (peer === 'proxy' ? null : peer);

function slotsOf(upstream: number, upstreamPerNetwork: number) {
  const slots = new UpstreamSlots({ upstream, upstreamPerNetwork }, networkOf);
  const log: string[] = [];
  const slotsByName = new Map<string, Slot>();
  const take = (name: string, peer: string, isStalled = () => false) => {
    const slot = slots.take(peer, {
      start: () => log.push(`start ${name}`),
      refuse: () => log.push(`refuse ${name}`),
      endIdle: () => {
        log.push(`end ${name}`);
        // The app server detects it a moment later.
        queueMicrotask(() => slots.release(slot));
      },
      endIfStalled: () => {
        if (!isStalled()) return;
        log.push(`stalled ${name}`);
        slots.release(slot);
      },
    });
    slotsByName.set(name, slot);
    return slot;
  };
  const slotFor = (name: string) => slotsByName.get(name) as Slot;
  return { slots, log, take, slotFor, newEntries: () => log.splice(0) };
}

test('beyond the slots, requests take turns by network', () => {
  const { slots, take, slotFor, newEntries } = slotsOf(2, 2);
  for (const name of ['a1', 'a2', 'a3', 'a4']) take(name, 'a');
  take('b1', 'b');
  expect(newEntries()).toEqual(['start a1', 'start a2']);
  slots.release(slotFor('a1'));
  slots.release(slotFor('a2'));
  expect(newEntries()).toEqual(['start a3', 'start b1']);
  slots.release(slotFor('b1'));
  expect(newEntries()).toEqual(['start a4']);
});

test('a network gets at most its share, except for a trusted proxy', () => {
  const { slots, take, slotFor, newEntries } = slotsOf(4, 2);
  for (const name of ['a1', 'a2', 'a3']) take(name, 'a');
  take('b1', 'b');
  for (const name of ['p1', 'p2']) take(name, 'proxy');
  expect(newEntries()).toEqual(['start a1', 'start a2', 'start b1', 'start p1']);
  slots.release(slotFor('b1'));
  expect(newEntries()).toEqual(['start p2']);
  slots.release(slotFor('a2'));
  expect(newEntries()).toEqual(['start a3']);
});

test('an idle connection is ended when another waits', async () => {
  const { slots, take, slotFor, newEntries } = slotsOf(2, 2);
  take('a1', 'a');
  take('a2', 'a');
  slots.markIdle(slotFor('a1'));
  slots.markIdle(slotFor('a2'));
  slots.use(slotFor('a1'));
  newEntries();
  take('b1', 'b');
  expect(newEntries()).toEqual(['end a2']);
  await Promise.resolve();
  expect(newEntries()).toEqual(['start b1']);
  take('b2', 'b');
  slots.markIdle(slotFor('a1'));
  await Promise.resolve();
  expect(newEntries()).toEqual(['end a1', 'start b2']);
});

test('a waiting request that is cancelled takes no slot', () => {
  const { slots, take, slotFor, newEntries } = slotsOf(1, 1);
  take('a1', 'a');
  take('b1', 'b');
  take('c1', 'c');
  slots.release(slotFor('b1'));
  slots.release(slotFor('a1'));
  expect(newEntries()).toEqual(['start a1', 'start c1']);
  slots.release(slotFor('a1'));
  slots.release(slotFor('c1'));
  take('d1', 'd');
  expect(newEntries()).toEqual(['start d1']);
});

test('if too many wait, the next is refused at once', async () => {
  const { take, newEntries } = slotsOf(1, 1);
  for (let turn = 1; turn <= 6; turn++) take(`n${turn}`, `n${turn}`);
  await Promise.resolve();
  expect(newEntries()).toEqual(['start n1', 'refuse n6']);
});

test('a stalled half-sent request makes room; a request that waits too long is refused', async () => {
  const { slots, take, slotFor, log } = slotsOf(1, 1);
  let isStalled = false;
  take('a1', 'a', () => isStalled);
  take('b1', 'b');
  isStalled = true;
  await eventually(() => log.includes('start b1'), 'b1 to start');
  expect(log).toEqual(['start a1', 'stalled a1', 'start b1']);
  take('c1', 'c');
  await eventually(() => log.includes('refuse c1'), 'c1 to be refused');
  slots.release(slotFor('b1'));
  expect(log).not.toContain('start c1');
}, 240_000);
