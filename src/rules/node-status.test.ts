import { expect, test } from 'bun:test';
import { goneAfter, hasStrandedClicks, nodesOf, type ReportedProcess } from './node-status.ts';

const now = 1_000_000_000;
const report = (fields: Partial<ReportedProcess>): ReportedProcess => ({
  node: 'a',
  host_name: 'one',
  version: '1.0.0',
  started_at: now - 500_000,
  seen_at: now - 1_000,
  waiting_clicks: 0,
  waiting_since: null,
  waiting_bytes: 0,
  ...fields,
});

test('a node is the sum of its processes', () => {
  const processes = [
    report({ waiting_clicks: 3, waiting_since: now - 9_000, waiting_bytes: 900 }),
    report({
      started_at: now - 800_000,
      waiting_clicks: 4,
      waiting_since: now - 3_000,
      seen_at: now - 5_000,
    }),
  ];
  expect(nodesOf(processes, now)).toEqual([
    {
      id: 'a',
      hostName: 'one',
      versions: ['1.0.0'],
      processes: 2,
      startedAt: now - 800_000,
      seenAt: now - 1_000,
      isGone: false,
      waitingClicks: 7,
      waitingSince: now - 9_000,
      waitingBytes: 900,
    },
  ]);
  const [waiting] = nodesOf([report({ waiting_clicks: 1, waiting_since: now - 9_000 }), report({})], now);
  expect(waiting?.waitingSince).toBe(now - 9_000);
});

test('on a running node, the last report of an ended process is not added again', () => {
  const ended = report({
    seen_at: now - goneAfter,
    version: '0.9.0',
    waiting_clicks: 50,
    waiting_bytes: 5_000,
  });
  const [node] = nodesOf([ended, report({})], now);
  expect(node).toMatchObject({ processes: 1, versions: ['1.0.0'], waitingClicks: 0, waitingBytes: 0 });
});

test('a node is gone when all of its processes are, and has stranded clicks if some were waiting', () => {
  const gone = { node: 'b', host_name: 'two', seen_at: now - goneAfter };
  const nodes = nodesOf(
    [report({}), report({ ...gone, waiting_clicks: 2 }), report({ ...gone, waiting_clicks: 3 })],
    now,
  );
  expect(nodes.map(({ id, isGone, waitingClicks }) => [id, isGone, waitingClicks])).toEqual([
    ['a', false, 0],
    ['b', true, 5],
  ]);
  expect(nodes.map(hasStrandedClicks)).toEqual([false, true]);
  expect(nodesOf([report(gone)], now).map(hasStrandedClicks)).toEqual([false]);
  expect(nodesOf([report({ ...gone, waiting_bytes: 1 })], now).map(hasStrandedClicks)).toEqual([true]);
});
