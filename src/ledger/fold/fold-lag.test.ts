import { expect, test } from 'bun:test';
import { FoldLag } from './fold-lag.ts';

const at = (offset: number, segment = 1) => ({ segment, offset });

function append(lag: FoldLag, hits: number): void {
  for (let hit = 0; hit < hits; hit++) lag.appended();
}

test('hits count as waiting from their entry in the journal until they are folded', () => {
  const lag = new FoldLag();
  expect([lag.hits, lag.milliseconds(0)]).toEqual([0, 0]);
  append(lag, 3);
  lag.woken(at(300), 0, 10_000);
  append(lag, 2);
  lag.woken(at(500), 0, 15_000);
  expect([lag.hits, lag.milliseconds(16_000)]).toEqual([5, 6_000]);
  lag.folded(at(299));
  expect(lag.hits).toBe(5);
  lag.folded(at(300));
  expect([lag.hits, lag.milliseconds(16_000)]).toEqual([2, 1_000]);
  lag.folded(at(0, 2));
  expect([lag.hits, lag.milliseconds(99_000), lag.total]).toEqual([0, 0, 5]);
});

test("hits that are only in memory count as waiting too, dropped ones don't", () => {
  const lag = new FoldLag();
  append(lag, 5);
  lag.woken(at(200), 3, 0);
  lag.folded(at(200));
  expect(lag.hits).toBe(3);
  lag.dropped(3);
  expect(lag.hits).toBe(0);
});

test('after hours without a fold the age of the oldest hit is still known, in bounded memory', () => {
  const lag = new FoldLag();
  for (let second = 0; second < 20_000; second++) {
    append(lag, 1);
    lag.woken(at(second + 1), 0, second * 1_000);
  }
  expect([lag.hits, lag.milliseconds(20_000_000)]).toEqual([20_000, 20_000_000]);
  lag.folded(at(19_900));
  expect(lag.milliseconds(20_000_000)).toBeGreaterThanOrEqual(100_000);
  expect(lag.milliseconds(20_000_000)).toBeLessThan(300_000);
  lag.folded(at(20_000));
  expect(lag.hits).toBe(0);
});
