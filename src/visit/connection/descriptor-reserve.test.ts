import { expect, test } from 'bun:test';
import { eventually } from '../../../test/support/eventually.ts';
import { ConnectionTable, type Limited } from './connection-table.ts';
import { freeDescriptors, keepDescriptorReserve } from './descriptor-reserve.ts';

const idle = (): Limited => ({ makeRoom: () => 'ended', end() {} });

function fill(table: ConnectionTable<Limited>, count: number): void {
  for (let index = 0; index < count; index++) table.add(idle(), `192.0.2.${index % 4}`);
}

test('if other code takes the descriptors, there are fewer connections meanwhile', async () => {
  const table = new ConnectionTable<Limited>({ total: 50, perNetwork: 50 }, (peer) => peer);
  fill(table, 50);
  let free = 12;
  const faults: unknown[] = [];
  const timer = keepDescriptorReserve(50, table, { report: (cause) => faults.push(cause) }, () => free);
  try {
    // Twenty were closed, and their descriptors are free.
    await eventually(() => table.size === 30, 'connections to be ended');
    free = 32;
    fill(table, 50);
    expect(table.size).toBe(30);
    free = 200;
    await eventually(() => {
      fill(table, 1);
      return table.size === 50;
    }, 'connections to be accepted again');
    expect(faults).toEqual([]);
  } finally {
    clearInterval(timer);
  }
});

test('the number of free descriptors is known on Linux', () => {
  if (process.platform === 'linux') expect(freeDescriptors()() ?? 1).toBeGreaterThan(0);
});
