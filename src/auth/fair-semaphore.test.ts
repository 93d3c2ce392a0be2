import { beforeEach, expect, test } from 'bun:test';
import { Refusal } from '../rules/errors.ts';
import { FairSemaphore } from './fair-semaphore.ts';

let semaphore: FairSemaphore;
let order: string[];
let ends: (() => void)[];

beforeEach(() => {
  semaphore = new FairSemaphore(64);
  order = [];
  ends = [];
});

/** Work that records its client when it starts, and runs until the test ends it. */
function runFor(clientKey: string, isKnown = false): Promise<string> {
  const work = () =>
    new Promise<string>((resolve) => {
      order.push(clientKey);
      ends.push(() => resolve(clientKey));
    });
  return semaphore.run({ clientKey, isKnown }, work).catch((cause) => {
    expect(cause).toBeInstanceOf(Refusal);
    return (cause as Refusal).code;
  });
}

async function endAll(): Promise<void> {
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
}

test('two run at once, and each waiting network gets a turn before any gets its second', async () => {
  const runs = ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c'].map((clientKey) => runFor(clientKey));
  expect(order).toEqual(['a', 'a']);
  await endAll();
  expect(order).toEqual(['a', 'a', 'a', 'b', 'c', 'a', 'b', 'a']);
  expect(await Promise.all(runs)).toHaveLength(8);
});

test('known clients go first, however many networks wait, and the others still proceed', async () => {
  for (let network = 0; network < 66; network++) void runFor(`network ${network}`);
  for (let run = 0; run < 8; run++) void runFor('owner', true);
  await endAll();
  const owners = order.flatMap((clientKey, index) => (clientKey === 'owner' ? [index] : []));
  expect(owners[0]).toBe(2);
  expect(owners.at(-1)).toBeLessThan(2 + 8 + 4);
  expect(order.slice(2, 12).some((clientKey) => clientKey !== 'owner')).toBe(true);
  expect(order).toHaveLength(74);
});

test("the queue is bounded: one network can't fill it, and requests beyond its limit get 503", async () => {
  const flood = Array.from({ length: 100 }, () => runFor('flood'));
  const other = runFor('other');
  await endAll();
  expect(await other).toBe('other');
  const answers = await Promise.all(flood);
  // Two ran and 64 waited, one of which lost its place in the queue to the other network.
  expect(answers.filter((answer) => answer === 'flood')).toHaveLength(65);
  expect(answers.filter((answer) => answer === 'BUSY')).toHaveLength(35);

  const many = Array.from({ length: 70 }, (_, client) => runFor(`client ${client}`));
  await endAll();
  expect((await Promise.all(many)).filter((answer) => answer === 'BUSY')).toHaveLength(70 - 66);
});
