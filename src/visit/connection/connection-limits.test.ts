import { expect, test } from 'bun:test';
import { connectionLimits } from './connection-limits.ts';

const defaults = { maxConnections: null, maxConnectionsPerNetwork: null };

test.each([
  [256, 96, 24, 32],
  [1_024, 460, 115, 154],
  [20_000, 11_385, 2_847, 3_795],
  [524_288, 50_000, 12_500, 8_192],
])('%d descriptors are divided as documented', (descriptors, total, perNetwork, upstream) => {
  expect(connectionLimits(defaults, descriptors)).toMatchObject({ total, perNetwork, upstream });
});

test('for any settings, the descriptors in use stay below the limit', () => {
  for (const descriptors of [160, 256, 1_024, 4_096, 20_000, 1_000_000])
    for (const maxConnections of [null, 8, 100, 5_000, 1_000_000])
      for (const maxConnectionsPerNetwork of [null, 0, 1, 50, 1_000_000]) {
        const limits = connectionLimits({ maxConnections, maxConnectionsPerNetwork }, descriptors);
        expect(limits.total + 2 * limits.upstream + 64).toBeLessThanOrEqual(descriptors);
        expect(limits.perNetwork).toBeLessThanOrEqual(limits.total);
        expect(Math.min(...Object.values(limits))).toBeGreaterThan(0);
      }
});
