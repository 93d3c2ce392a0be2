import { expect, test } from 'bun:test';
import { ConnectionTable, type Limited } from './connection-table.ts';

const networkOf = (peer: string) => (peer === 'proxy' ? null : (peer.split('.')[0] ?? ''));

class Visitor implements Limited {
  state: 'idle' | 'used' | 'busy' = 'idle';
  isEnded = false;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  makeRoom(forgetsUse: boolean) {
    if (this.state === 'busy') return 'busy';
    if (this.state === 'idle') {
      this.isEnded = true;
      return 'ended';
    }
    if (forgetsUse) this.state = 'idle';
    return 'used';
  }

  end() {
    this.isEnded = true;
  }
}

const limits = { total: 12, perNetwork: 6 };
const tableOf = () => new ConnectionTable<Visitor>(limits, networkOf);
const fill = (table: ConnectionTable<Visitor>, names: readonly string[], state: Visitor['state'] = 'idle') =>
  names.map((name) => {
    const visitor = new Visitor(name);
    expect(table.add(visitor, name)).toBe(true);
    visitor.state = state;
    return visitor;
  });
const endedOf = (visitors: readonly Visitor[]) =>
  visitors.filter(({ isEnded }) => isEnded).map(({ name }) => name);

test('a network with its full share loses its longest idle connection to its next one', () => {
  const table = tableOf();
  const first = fill(table, ['a.1', 'a.2', 'a.3', 'a.4', 'a.5', 'a.6', 'b.1']);
  fill(table, ['a.7', 'a.8']);
  expect(endedOf(first)).toEqual(['a.1', 'a.2']);
  expect(table.size).toBe(7);
});

test('if the table is full, the network with most connections loses one', () => {
  const table = tableOf();
  const visitors = fill(table, [
    'a.1',
    'a.2',
    'a.3',
    'a.4',
    'a.5',
    'b.1',
    'b.2',
    'b.3',
    'b.4',
    'c.1',
    'c.2',
    'd.1',
  ]);
  fill(table, ['e.1', 'f.1', 'g.1', 'h.1']);
  expect(endedOf(visitors)).toEqual(['a.1', 'a.2', 'b.1', 'b.2']);
  expect(table.size).toBe(12);
});

test('recently used connections are closed last, and never those with a pending response', () => {
  const table = tableOf();
  const used = fill(table, ['a.1', 'a.2'], 'used');
  const busy = fill(table, ['a.3'], 'busy');
  const idle = fill(table, ['a.4', 'a.5', 'a.6']);
  fill(table, ['a.7'], 'busy');
  expect(endedOf([...used, ...busy, ...idle])).toEqual(['a.4']);
  fill(table, ['a.8', 'a.9', 'a.10', 'a.11'], 'busy');
  expect(busy[0]?.isEnded).toBe(false);
  expect(endedOf([...used, ...idle])).toHaveLength(5);
  const refused = new Visitor('a.12');
  expect(table.add(refused, refused.name)).toBe(false);
  expect([...table]).not.toContain(refused);
  const other = new Visitor('b.1');
  expect(table.add(other, other.name)).toBe(true);
});

test('if all were used, the oldest in the table is closed', () => {
  const table = tableOf();
  const used = fill(table, ['a.1', 'a.2', 'a.3', 'a.4', 'a.5', 'a.6'], 'used');
  fill(table, ['a.7']);
  expect(endedOf(used)).toEqual(['a.1']);
});

test('if all were used, a large network loses many before a small one loses any', () => {
  const table = new ConnectionTable<Visitor>({ total: 50, perNetwork: 24 }, networkOf);
  const ofNetwork = (network: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${network}.${index}`);
  fill(table, ofNetwork('a', 24), 'used');
  fill(table, ofNetwork('b', 24), 'used');
  const visitors = fill(table, ['c.1', 'd.1'], 'used');
  fill(table, ['e.1', 'f.1', 'g.1', 'h.1']);
  table.limitTo(30);
  expect(table.size).toBe(30);
  expect(endedOf(visitors)).toEqual([]);
});

test('a trusted proxy has no share, but loses connections if the table is full', () => {
  const table = tableOf();
  const proxied = fill(
    table,
    Array.from({ length: 12 }, () => 'proxy'),
  );
  fill(table, ['a.1']);
  expect(endedOf(proxied)).toHaveLength(1);
  expect(table.size).toBe(12);
});

test('a flood from many networks with one connection each leaves room for the next', () => {
  const table = tableOf();
  const visitors = fill(
    table,
    Array.from({ length: 500 }, (_, index) => `${index}.1`),
  );
  expect(endedOf(visitors)).toEqual(visitors.slice(0, 488).map(({ name }) => name));
});

test('if the limit falls below the number of connections, idle ones are closed', () => {
  const table = tableOf();
  fill(table, ['a.1', 'a.2'], 'busy');
  const idle = fill(table, ['a.3', 'b.1', 'b.2']);
  table.limitTo(2);
  expect(endedOf(idle)).toHaveLength(3);
  expect(table.size).toBe(2);
});

test('removed connections are not counted anywhere', () => {
  const table = tableOf();
  for (const visitor of fill(table, ['a.1', 'a.2', 'a.3', 'b.1'])) {
    table.remove(visitor);
    table.remove(visitor);
  }
  expect(table.size).toBe(0);
  const visitors = fill(table, ['a.1', 'a.2', 'a.3', 'a.4', 'a.5', 'a.6']);
  expect(endedOf(visitors)).toEqual([]);
});
